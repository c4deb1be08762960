"""Figures and topics of questions: which sum is asked, and the inputs that are told for it."""
