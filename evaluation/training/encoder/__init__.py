"""Learning from public legal text, done before the service ships.

``python -m evaluation train-encoder`` writes data/encoder: Kiwi's morpheme vectors, taught which question means which text
(docs/decisions/0005-trained-encoder.md). ``python -m evaluation count-cases`` counts what court decisions say of the
statutes into data/ranking (docs/decisions/0012-what-others-say.md).
"""
