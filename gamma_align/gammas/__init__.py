"""γ, γcat and γk (Mathet 2015, 2017) of a corpus.

`gamma.gamma` is the way in. On the way: `settings`, `measure` (one row of numbers for each document), `sampler` (random
continua), `precision` (how many of them), `statistics` (what alignments add to γcat and γk), `coefficients` (from rows
to γ) and `results`. Not here: alignments and δ of unitary alignments (`alignment.disorder.unitary_disorders`).
"""
