"""Where and why annotators differ: the disorder of every unitary alignment in parts that add up, and tables of it.

Patterns that repeat become questions to settle, each with the γ that settling it would give. Not here: the search for
an alignment (`alignment`), the disorder expected by chance (`measures.gamma`), and printed text (`present`).
"""
