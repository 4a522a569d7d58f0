"""γ, γcat and γk (Mathet 2015, 2017) of a corpus, and of each pair of its annotators.

`gamma.gamma` is the entry point. It uses `gamma_settings`, `measure` (one row of statistics per document), `sampler`
(random continua), `statistics` (sums over aligned units), `samples` (disorders of the samples drawn so far),
`precision` (number of samples to draw), `gamma_result` (γ of documents from rows, and the classes of results) and
`corpus_values` (γ of the corpus). The package does not contain alignments and the δ of unitary alignments
(`alignment.solve.unitary_disorders`), and does not run tasks (`work`).
"""
