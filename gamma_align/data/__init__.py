"""Annotations as frozen columns: `Corpus`, `Continuum`, `ItemTable`, and `Batch`, many small continua in one.

Also here: how tables become columns, the checks on the way (each yields a `Problem` with location, cause and cure),
and random streams. Not here: reading files (`reading`), and anything computed from the columns. The type handed on is
`Corpus`, or `ItemTable` for predefined items.
"""
