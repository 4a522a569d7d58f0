"""What everything works on: a corpus, a continuum, a table of items, a batch of small problems, as frozen columns.

Here too: how tables become columns, the checks on the way (each yields a `Problem` with place, cause and cure), and
the random streams. Not here: reading files (`io`), and anything that is computed from the columns.
"""
