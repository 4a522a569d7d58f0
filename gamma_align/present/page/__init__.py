"""The report: one HTML file with the agreement of annotators, their disagreements, and the questions to settle.

`report` measures, `page` assembles the sections, and `templates` contains their HTML. Drawings of documents are in
`figures`; texts and tables of the terminal are in `present`.
"""
