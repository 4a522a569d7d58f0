"""The distances by name: the registry, the help of ``--distance`` and messages are made from this list.

It imports nothing that takes long: the command line prints its help from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

KINDS = {
    "nominal": "gamma_align.distances.base:Nominal",
    "ordinal": "gamma_align.distances.numeric:Ordinal",
    "gwet-ordinal": "gamma_align.distances.numeric:GwetOrdinal",
    "interval": "gamma_align.distances.numeric:Interval",
    "ratio": "gamma_align.distances.numeric:Ratio",
    "linear": "gamma_align.distances.numeric:Linear",
    "bipolar": "gamma_align.distances.numeric:Bipolar",
    "circular": "gamma_align.distances.numeric:Circular",
    "edit": "gamma_align.distances.base:EditDistance",
    "jaccard": "gamma_align.distances.structured:Jaccard",
    "dice": "gamma_align.distances.structured:Dice",
    "passonneau": "gamma_align.distances.structured:Passonneau",
    "masi": "gamma_align.distances.structured:Masi",
    "masi-product": "gamma_align.distances.structured:MasiProduct",
    "melamed-resnik": "gamma_align.distances.structured:MelamedResnik",
    "path": "gamma_align.distances.structured:TaxonomyPath",
    "extended-senses": "gamma_align.distances.structured:ExtendedSenses",
}
"""The class of each name, by its path: importing all classes takes as long as a small alignment."""


class Parameter(NamedTuple):
    """What may follow the name of a distance and a colon: the option that it sets, its reader, and the word in help."""

    option: str
    read: Callable[[str], object]
    word: str


WITH_PARAMETER = {
    "circular": Parameter("period", float, "PERIOD"),
    "interval": Parameter("by", str, "position"),
    "linear": Parameter("by", str, "position"),
}
"""The parameter of each name that takes one."""

TAXONOMY_NAMES = ("melamed-resnik", "path", "extended-senses")
"""Distances that require a taxonomy."""
NAMES = tuple(name for name in KINDS if name not in ("circular", *TAXONOMY_NAMES))
"""Distances that require nothing but their name."""


def listed() -> str:
    """Return all names, as help lists them."""
    with_parameter = [f"{name}:{parameter.word}" for name, parameter in WITH_PARAMETER.items()]
    return f"{', '.join([*NAMES, *with_parameter])}; with a taxonomy {', '.join(TAXONOMY_NAMES)}"
