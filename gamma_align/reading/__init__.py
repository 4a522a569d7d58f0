"""Reading annotations into a `Corpus`, and writing one; a small module a format, and one registry.

Conventions
-----------
A corpus is three tables, of which only the first has to be there:

* ``units``: document, annotator, start, end, category: one row a unit;
* ``annotations``: document, annotator: who saw what, for those who marked nothing;
* ``documents``: document, and length or start and end, and unit: the extent of each, in what unit of length.

They are a folder (``units.parquet`` or ``units.csv`` …), or the first alone in one file; `table_formats` lists the
formats of a table. The files of annotation tools go another way: `layout` finds them, a module of `formats` reads
each into `marks`, `gather` names their annotators and documents, `textual` puts them on their texts, `assemble` makes
the corpus. What was taken otherwise than written stands in ``Corpus.notes``. A table of predefined items is one
file, and `read_items` reads it.
"""
