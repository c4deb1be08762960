"""From what a client sends to a document: validated, checked, computed, written."""
