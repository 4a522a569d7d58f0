"""Which files are meant: folders, templates of paths, and where results are written.

Not here: what is in the files (`io.files`, `io.formats`).
"""
