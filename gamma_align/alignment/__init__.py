"""The alignment of least disorder, with its proof.

`align.align` is the way in for one continuum, `solve.solve` for a batch; `solve.unitary_disorders` computes δ of
unitary alignments, `solve.disorders` that of whole alignments. Small problems are searched exactly, larger ones go
through column generation with a linear programme and cuts. Not here: dissimilarities (`distances`), chance (`gammas`).
"""
