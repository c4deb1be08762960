"""What orders the candidates of a search: evidence of each passage, and a linear combination of it learned from questions."""
