"""Published experiments and worked examples, run again, with their tables and figures.

`reproduce` runs them by name. Not here: the shuffling tool that the experiments use (`simulation`).
"""
