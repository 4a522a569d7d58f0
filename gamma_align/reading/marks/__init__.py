"""From the content of files to a corpus: annotators, layers, labels, offsets, texts.

A module of `reading.formats` fills `Marks`; `gather` joins the marks of many files, `textual` places units on their
texts, and `assemble` builds the corpus.
"""
