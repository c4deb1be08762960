"""Calculators: pure functions from an asker's figures to a computed conclusion."""
