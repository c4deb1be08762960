"""What an assistant can do besides answering from documents: hooks of the one graph, one file an ability."""
