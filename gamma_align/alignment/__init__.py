"""Alignments of least disorder, with proof.

`align.align` aligns one continuum, `solve.solve` a batch; `solve.unitary_disorders` computes δ of unitary alignments,
`solve.disorders` computes δ of alignments. Small problems are searched exactly, larger ones are solved by column
generation with linear programmes. This package does not define dissimilarities (`distances`) and does not
estimate chance (`measures.gamma`).
"""
