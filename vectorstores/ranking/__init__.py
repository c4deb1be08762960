"""Order the candidates of a search: features of each passage, and a learned linear combination of them."""
