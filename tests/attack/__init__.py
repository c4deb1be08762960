"""What an attack on the service found, as tests: each names the findings of docs/security.md that it keeps closed."""
