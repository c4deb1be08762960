"""Wire types of ``/v1``, as OpenAI writes them."""
