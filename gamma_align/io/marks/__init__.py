"""From what files say to a corpus: annotators, layers, labels, offsets, texts.

A module of `io.formats` fills `Marks`; `gather` joins those of many files, `textual` puts units on their texts,
`assemble` makes the corpus.
"""
