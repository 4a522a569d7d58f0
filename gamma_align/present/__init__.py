"""Tables of results, each declared once, and the writers that render them.

A module `…_tables` makes a `Table` of a result: its columns, with kind and priority, and its rows. A module of
`writers` renders any table: as text, CSV, Markdown, LaTeX, HTML, records for JSON, or a data frame. Not here: the
computation of results, sentences between tables (`report`), and the names of options (`cli`). The
type handed on is `table.Table`.
"""
