"""Prompts of the abilities of assistants, a file each."""
