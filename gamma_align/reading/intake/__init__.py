"""Tables of anybody's own as units or items: rows, the map that says what their columns mean, and its application.

A reader yields `rows.Rows`; a `mapping.ColumnMap` says what their columns mean; `apply` makes `Marks` or the table of
items of both. Nothing here decides which files are read (`reading.places`) or checks units (`data.build`).
"""
