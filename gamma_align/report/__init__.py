"""Results as text, CSV and SVG: a function takes a result and returns a string.

Not here: computing (a report only shows what a result holds), and writing files, which the command line does.
"""
