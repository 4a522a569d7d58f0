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

from gamma_align.lazy import door

_NAMES = {
    "columns_of_rounds": ("by_column",),
    "data_sets": ("DataSet", "Marked", "large_data_set"),
    "decisions_file": ("read_decisions",),
    "either": ("items_by_map", "items_instead", "read_either"),
    "files.atomic": ("atomic_bytes", "atomic_text", "atomic_write"),
    "files.sources": ("Source",),
    "files.temporary": ("TemporaryFolder",),
    "formats": ("FileFormat",),
    "intake.mapping": ("loaded", "saved"),
    "marks.choices": ("choices",),
    "memory": ("corpus_told",),
    "objects": ("corpus_of_objects",),
    "options": (
        "ABSENT_COLUMNS",
        "CSV_SAFE",
        "FILE_OPTIONS",
        "FIX_OPTION",
        "LOSS_OPTIONS",
        "OUTSIDE",
        "READING_OPTIONS",
        "REPAIR_DESCRIPTIONS",
        "UNIT_OPTIONS",
    ),
    "places.layout": ("SeveralFormatsError", "is_template"),
    "read": ("contents_at", "layout_of", "map_at"),
    "text_versions": ("realigned",),
    "sorting": ("convert_large", "large_tables"),
    "tables.item_tables": ("read_items",),
    "validation.columns": ("UnitColumns",),
    "validation.dependents": ("Dependent", "dependents"),
    "validation.findings": ("Finding", "alphabets"),
    "validation.repairs": ("SWAPPED", "repaired", "swapped"),
    "validation.validate": ("ValidationReport", "joined", "validate"),
    "work_folder": ("WorkFolder", "kept_work", "locked_folder"),
    "write": ("CSV_TABLES", "check_new", "is_folder_name", "reduced_for", "write_new"),
}

__getattr__, __all__ = door(__name__, _NAMES)
