"""Published experiments and worked examples, run again, with their tables and figures.

`reproduce` is the way in. Not here: the shuffling tool the experiments use (`simulation`).
"""
