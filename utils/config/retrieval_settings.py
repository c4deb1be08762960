"""Settings of the search for documents."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings


class RetrievalSettings(BaseSettings):
    """Number of documents to search for, and the way of searching."""

    default_collection: str | None = Field(
        None, description="Domain of ingested documents that do not say theirs; empty: it has to be named."
    )
    retrieval_k: int = Field(4, ge=1, le=50, description="Documents kept for a question of one domain.")
    max_retrieval_docs: int = Field(15, ge=1, le=100, description="Upper bound of documents over all domains.")
    min_domain_k: int = Field(3, ge=1, le=50, description="Documents every domain gets at least.")
    vector_search_weight: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Share of the vector side in the fusion, in HYBRID mode; empty: the measured one of the embedder. The fusion "
        "orders what the reranker is given where no order is learned; a learned order takes nothing from it.",
    )
    fusion: Literal["rrf", "score", "auto"] = Field(
        "auto",
        description="Fusion of lexical and vector hits: reciprocal rank, score, or the embedder's measured best. It counts where "
        "VECTOR_SEARCH_WEIGHT does: not in a learned order.",
    )
    candidate_pool: int = Field(360, ge=6, le=3000, description="Candidates of one question, both sides together.")
    lexical_pool: int | None = Field(
        None, ge=1, le=3000, description="Candidates of BM25; empty: the measured share of CANDIDATE_POOL."
    )
    vector_pool: int | None = Field(
        None, ge=1, le=3000, description="Candidates of the vector side; empty: the rest, of a small collection all."
    )
    rerank_pool: int = Field(
        40,
        ge=1,
        le=1000,
        description="Candidates whose order the reranker may change; where the order gives it no weight, it reads what is kept.",
    )
    multi_query_count: int = Field(3, ge=0, le=10, description="Query variants searched beside the question.")
    mmr_lambda_mult: float = Field(0.6, ge=0, le=1, description="Relevance against diversity in MMR_DIVERSE mode.")
    mmr_fetch_k_multiplier: int = Field(4, ge=1, le=50, description="Candidates of MMR: this times k.")
    legal_supplement_k: int = Field(
        4, ge=0, le=50, description="Documents of the law added to a question with a legal side, at most."
    )
    legal_supplement_min_relevance: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Relevance from which a document is added so; empty: the measured floor of the reranker.",
    )
    rerank_top_k: int = Field(
        3,
        ge=1,
        le=50,
        description="Best of each side for each query variant that the reranker reads beside RERANK_POOL. What is kept, the "
        "order decides.",
    )
    cross_domain_rerank_ratio: float = Field(0.7, gt=0, le=1, description="Share kept after the cross-domain rerank.")
    retrieval_min_docs: int = Field(3, ge=1, description="Retrieval evaluator: documents above the relevance floor.")
    retrieval_min_relevance: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Retrieval evaluator: relevance from which a document counts; empty: the measured floor of the reranker.",
    )
    retrieval_min_keyword_ratio: float = Field(
        0.4, ge=0, le=1, description="Retrieval evaluator: question terms found."
    )
    retrieval_min_keyword_ratio_alone: float = Field(
        0.5, ge=0, le=1, description="The same where no reranker told the relevance, so that the terms must tell alone."
    )
    retrieval_min_similarity: float | None = Field(
        None,
        ge=-1,
        le=1,
        description="Retrieval evaluator: mean similarity; empty: the measured floor of the embedder.",
    )
