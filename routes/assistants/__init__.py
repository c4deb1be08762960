"""``/api/assistants``: which assistants there are, and questions to them."""
