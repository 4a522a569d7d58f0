"""CSV without header for the gamma software and the corpus shuffling tool; see `delimited`."""

from gamma_align.io.tables.delimited import GAMMA_SOFTWARE_CSV as FORMAT

__all__ = ["FORMAT"]
