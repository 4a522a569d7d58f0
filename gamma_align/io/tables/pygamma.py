"""CSV without header as pygamma-agreement reads it; see `delimited`."""

from gamma_align.io.tables.delimited import PYGAMMA_CSV as FORMAT

__all__ = ["FORMAT"]
