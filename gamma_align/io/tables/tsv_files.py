"""Tab-separated tables of units, a document or an annotator a file; see `delimited`."""

from gamma_align.io.tables.delimited import TSV as FORMAT

__all__ = ["FORMAT"]
