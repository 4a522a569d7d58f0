"""What to cite, as BibTeX. Nothing here imports NumPy: the command line answers ``--cite`` at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gamma_align.version import __version__

SOFTWARE = "gamma-align"
UNITS = ("mathet-etal-2015-gamma", "mathet-2017-gammacat")
UNITIZING = ("krippendorff-etal-2016-unitizing",)
ITEMS = {
    "S": ("bennett-etal-1954-s",),
    "π": ("scott-1955-pi", "fleiss-1971-kappa"),
    "α′": ("artstein-poesio-2008",),
    "κ": ("cohen-1960-kappa",),
    "κ_w": ("cohen-1968-weighted-kappa",),
    "multi-κ": ("davies-fleiss-1982",),
    "β": ("artstein-poesio-2008",),
    "κ (Conger)": ("conger-1980",),
    "κ_w (Conger)": ("conger-1980",),
    "mean κ": ("light-1971",),
    "mean κ_w": ("light-1971",),
    "α": ("krippendorff-2011-alpha",),
    "AC₁": ("gwet-2008-ac1",),
    "AC₂": ("gwet-2008-ac1",),
    "2A_o-1": ("byrt-etal-1993-pabak",),
}
"""The papers of each coefficient on items, by its symbol; that of observed agreement needs none."""


def bibtex(keys: Iterable[str] = (*UNITS, *UNITIZING)) -> str:
    """Return the entries of these papers, each once, and that of this software, in the order of the file."""
    text = Path(__file__).with_name("references.bib").read_text(encoding="utf-8").replace("VERSION", __version__)
    wanted = {*keys, SOFTWARE}
    entries = [entry for entry in text.strip().split("\n\n") if entry.partition("{")[2].partition(",")[0] in wanted]
    return "\n\n".join(entries) + "\n"
