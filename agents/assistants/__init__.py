"""The assistants of a service: those that answer, and what the others need."""
