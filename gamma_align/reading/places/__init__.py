"""The files at a path: folders with all files below them, and templates of paths.

Not here: the contents of the files (`reading.files`, `reading.formats`).
"""
