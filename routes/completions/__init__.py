"""``/v1``: the assistants behind the interface of OpenAI."""
