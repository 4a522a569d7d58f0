"""The papers to cite, as BibTeX. NumPy is not imported, so that the command line prints them at once."""

from __future__ import annotations

from collections.abc import Iterable

from gamma_align.version import __version__

SOFTWARE_KEY = "gamma-align"
GAMMA_PAPERS = ("mathet-etal-2015-gamma", "mathet-2017-gammacat")
SOFT_PAPERS = ("titeux-riad-2021-pygamma",)
UNITIZING_PAPERS = ("krippendorff-etal-2016-unitizing",)
REPLACEMENT_PAPERS = ("calderon-etal-2025-alt-test", "benjamini-yekutieli-2001")
ITEM_PAPERS = {
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
"""The papers of each coefficient on items, by its symbol; observed agreement has none."""


def bibtex(keys: Iterable[str] = (*GAMMA_PAPERS, *UNITIZING_PAPERS)) -> str:
    """Return the entries of the papers and of this software in the order of the file, each once."""
    from importlib.resources import files  # takes 10 ms, which no other run needs

    text = files(__package__).joinpath("references.bib").read_text(encoding="utf-8").replace("VERSION", __version__)
    entries = {entry.partition("{")[2].partition(",")[0]: entry for entry in text.strip().split("\n\n")}
    requested = {*keys, SOFTWARE_KEY}
    return "\n\n".join(entry for key, entry in entries.items() if key in requested) + "\n"
