"""Which files are meant: folders and what is below them, templates of paths.

Not here: what is in the files (`reading.files`, `reading.formats`).
"""
