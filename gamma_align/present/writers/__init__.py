"""Writers of tables: a module for each form, which renders any `Table`."""

from gamma_align.lazy import door

_NAMES = {
    "data": ("csv_pieces", "csv_rows", "csv_text", "frame_columns", "joined_rows", "with_columns"),
    "json_text": ("json_pieces",),
    "lines": ("aligned_lines",),
}

__getattr__, __all__ = door(__name__, _NAMES)
