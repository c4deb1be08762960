"""Training of the embedded encoder: Kiwi's morpheme vectors, taught on public legal text which question means which text.

``python -m vectorstores.training`` writes data/encoder; docs/decisions/0004-trained-encoder.md says why it is done this way.
"""
