"""The blocks of all prompts: what stands between their tags is material, and a user's text must not close one."""

BLOCKS = (
    "answer",
    "cited_articles",
    "company",
    "document",
    "documents",
    "facts",
    "feedback",
    "history",
    "image",
    "question",
    "results",
)
