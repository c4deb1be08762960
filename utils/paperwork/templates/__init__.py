"""Templates of documents as data: their fields, their blocks, and the check that they hold what statutes demand."""
