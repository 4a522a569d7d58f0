"""Requests: a command, data and the values of its options become a result, for the command line, the service, the page.

`commands` has the options of each command, `texts` the functions that read a value written in one text, `settings` and
`distances` make keyword arguments of values, `corpus` reads and selects the data; the modules named after commands
compute their results. Not here: how a surface receives a request and shows a result (`apps`). The types handed on are
`settings.Values` and the results of commands.
"""

from gamma_align.lazy import door

_NAMES = {
    "align": ("AlignedDocuments", "compute_align"),
    "ceiling": ("compute_ceiling",),
    "commands": (
        "ALIGNMENT",
        "DETAIL_OPTIONS",
        "DISTANCE_FILES",
        "MEASURE",
        "Named",
        "ONE_DOCUMENT_SELECTION",
        "PROOF",
        "Part",
        "READING",
        "SELECTION",
        "computation",
        "families_option",
        "options_of",
    ),
    "corpus": ("naming", "read_whole", "selected", "with_changed_bounds"),
    "distances": ("distance_of", "measure_settings"),
    "evaluate": ("SEGMENTATION", "compared", "measure_of_pairs", "pairs_of", "segmentation_of"),
    "items": ("Tables", "compute_items", "read_tables"),
    "look": ("compute_look",),
    "measure": (
        "GAMMA",
        "MeasureResult",
        "UNITIZING",
        "compute_measure",
        "result_rows",
        "units_by_annotator",
        "units_of_annotators",
    ),
    "older_alpha": ("OlderAlpha", "check", "compute_older_alpha"),
    "settings": ("Values", "given", "reading_settings", "selection"),
    "shell": ("COMMAND_LINE", "PROGRAM", "flag_of"),
    "shuffle": ("Shuffled", "check_one_reference", "errors_of", "named_units", "shuffled", "synthetic"),
    "texts": ("STANDARD_STREAM", "file", "location", "number", "reader", "thresholds"),
}

__getattr__, __all__ = door(__name__, _NAMES)
