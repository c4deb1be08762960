"""Embedding providers behind one interface (`utils.protocols.Embedder`)."""
