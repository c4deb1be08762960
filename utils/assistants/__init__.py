"""Assistants as data: what tells one from another."""
