"""Results as tables, texts, pictures and pages.

A module `…_tables` makes a `table.Table` of a result: its columns, with kind and priority, and its rows. A module of
`writers` renders any table: as text, CSV, Markdown, LaTeX, HTML, records for JSON, or a data frame. `figures` draws
units and numbers as SVG, `plots` draws with Matplotlib, `page` builds the HTML report, `citation` the sentence to cite.
Not here: the computation of results, and the names of options (`apps`). The type handed on is `table.Table`.
"""
