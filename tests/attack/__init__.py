"""Findings of an attack on the service as tests: each names those of docs/security.md that it keeps closed."""
