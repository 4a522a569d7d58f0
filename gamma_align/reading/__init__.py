"""Reading annotations into a `Corpus`, and writing one; each format is a small module, and all are in one registry.

Conventions
-----------
A corpus consists of three tables; only the first is required:

* ``units``: document, annotator, start, end, category: one row for each unit;
* ``annotations``: document, annotator: one row for each annotator of a document, with or without units;
* ``documents``: document, and length or start and end, and unit: the extent of each document and its unit of length.

The tables are files of one folder, or the units alone are one file; `table_formats` lists the formats of tables. Files
of annotation tools are read in steps: `layout` finds them, a module of `formats` reads each into `marks`, `gather`
names their annotators and documents, `textual` places them on their texts, and `assemble` makes the corpus.
``Corpus.notes`` lists every assumption. A table of predefined items is one file, which `read_items` reads.
"""
