"""Abilities of assistants besides answering from documents: hooks of the one graph, one file an ability."""
