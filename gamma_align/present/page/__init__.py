"""The report: one HTML file that shows how far annotators agree, what they disagree on, and what to settle.

`report` measures, `page` puts the sections together, and `templates` holds their HTML. Not here: drawings of documents
(`figures`), and the texts and tables of the terminal (`present`).
"""
