"""The yes or no that the conclusion of an answer unit gives to a question."""
