"""A finished document as a file: PDF, DOCX and HWPX with the same text in the same order."""
