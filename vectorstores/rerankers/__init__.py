"""Rerank providers behind one interface (`vectorstores.rerankers.base.Reranker`)."""
