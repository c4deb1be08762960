"""Rules of law that the fields of a document have to keep, each with its article."""
