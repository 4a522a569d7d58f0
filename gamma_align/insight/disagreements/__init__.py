"""Where and why annotators differ: every unitary alignment with its disorder in parts that add up, and tables of these.

Here too is what to settle: patterns that repeat, each with what γ would be without them. Not here: how an alignment is
found (`alignment`), what chance gives (`measures.gamma`), and words for people (`present`).
"""
