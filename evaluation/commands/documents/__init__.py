"""Commands on documents to sign."""
