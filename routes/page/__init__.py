"""Pages for people: to ask, and to operate the service."""
