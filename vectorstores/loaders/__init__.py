"""Readers of the formats that can be ingested. A new format is one module with a `Loader` and a line in `registry`."""
