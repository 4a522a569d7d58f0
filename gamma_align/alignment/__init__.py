"""The alignment of least disorder, with its proof.

`align` is the way in for one continuum, `solve` for a batch. Small problems are searched exactly, larger ones go
through column generation with a linear programme and cuts. Not here: dissimilarities (`distances`), chance (`gammas`).
"""
