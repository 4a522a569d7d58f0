"""γ, γcat and γk (Mathet 2015, 2017) of a corpus, and of each pair of its annotators.

`gamma.gamma` is the way in, and `pairwise.pairwise`. On the way: `settings` (with the rule of how many samples),
`measure` (one row of numbers for each document), `sampler` (random continua), `statistics` (what alignments add to γcat
and γk) and `coefficients` (from rows to γ, and the results). Not here: alignments and δ of unitary alignments
(`alignment.solve.unitary_disorders`).
"""
