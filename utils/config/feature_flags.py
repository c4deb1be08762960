"""Settings that switch parts of the service off and on."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings


class FeatureFlags(BaseSettings):
    """Parts that can be switched off."""

    enable_hybrid_search: bool = Field(True, description="Lexical and vector search together; off: vector only.")
    enable_spelling: bool = Field(True, description="Put typing errors and misplaced spaces of questions right.")
    enable_english_reading: bool = Field(
        True, description="Read questions in English as Korean ones; off: they are searched for as they stand."
    )
    enable_reranking: bool = Field(True, description="Rerank candidates; off: fused order.")
    enable_learned_ranking: bool = Field(
        True, description="Order candidates as learned for the embedder and reranker; off: fusion and reranker alone."
    )
    enable_fixed_doc_limit: bool = Field(
        True, description="Budget table of documents; off: RETRIEVAL_K for every domain."
    )
    enable_cross_domain_rerank: bool = Field(True, description="One ranking over the documents of several domains.")
    enable_image_fetch: bool = Field(
        False,
        description="Fetch pictures that questions name by their address, from public addresses alone; off: pictures come as data.",
    )
    enable_llm_evaluation: bool = Field(
        True, description="The model scores answers, beside the rules, when configured."
    )
    enable_domain_rejection: bool = Field(True, description="Turn away what no domain covers; off: best domain.")
    enable_legal_supplement: bool = Field(True, description="Add statutes to questions with a legal side.")
    enable_post_eval_retry: bool = Field(
        True, description="One retry with alternative queries after a failed evaluation."
    )
    enable_graduated_retry: bool = Field(True, description="Relax, expand, then neighbours after failed retrieval.")
    enable_adaptive_search: bool = Field(True, description="Choose the search mode by question; off: always HYBRID.")
    enable_action_aware_generation: bool = Field(True, description="Propose next steps and weave them into the prompt.")
    enable_calculations: bool = Field(True, description="Compute the sums that a question tells the figures of.")
    enable_response_cache: bool = Field(True, description="Answer an equal question from the cache.")
    enable_understanding_cache: bool = Field(
        True, description="Ask the model once for what equal questions mean; off: each time."
    )
    enable_rate_limit: bool = Field(True, description="Limit requests for one client.")
    enable_sessions: bool = Field(
        True, description="Keep conversations by their session_id; off: read none, keep none."
    )
    enable_question_log: bool = Field(
        True, description="Keep questions, without personal data, and take verdicts on answers, for the gap report."
    )
    enable_chat_log: bool = Field(
        True,
        description="Note each answer in chat.log: question without personal data, sources, scores, times, tokens.",
    )
    enable_usage: bool = Field(
        True, description="Keep tokens and money of model calls by client, for /api/usage and budgets."
    )
    enable_model_masking: bool = Field(
        True,
        description="Keep numbers, e-mail addresses and keys of people from the model server, and put them back into its answer.",
    )
    enable_page: bool = Field(True, description="Serve the pages / and /ops, to whoever reaches the service.")
    enable_docs: bool = Field(True, description="Serve /docs and /openapi.json, to whoever reaches the service.")
    enable_ragas_evaluation: bool = Field(False, description="Log RAGAS scores of answers (needs the eval extra).")
    enable_llm_domain_classification: bool | None = Field(
        None, description="The model chooses the domains; empty: when a model is configured."
    )
