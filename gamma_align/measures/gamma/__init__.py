"""γ, γcat and γk (Mathet 2015, 2017) of a corpus, and of each pair of its annotators.

`gamma.gamma` is the way in, and `pairwise.pairwise`. On the way: `settings`, `measure` (one row of numbers for each
document), `workers` (one task after the other, or several at a time), `sampler` (random continua), `statistics` (what
alignments add to γcat and γk), `samples` (the disorders of those drawn so far), `precision` (how many more are wanted)
and `coefficients` (from rows to γ, and the results). Not here: alignments and δ of unitary alignments
(`alignment.solve.unitary_disorders`).
"""
