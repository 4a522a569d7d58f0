"""The coefficients on items with their names, symbols and defaults, and the reasons why a value is not available."""

from __future__ import annotations

from dataclasses import dataclass

from gamma_align.errors import SettingsError, did_you_mean

CODERS_PER_PAIR = 2
"""The number of coders for which κ and related quantities are defined without extension."""


@dataclass(frozen=True, slots=True)
class CoefficientSpec:
    """One coefficient.

    `kind` is the kind of expected disagreement (see `core`), or "pairs" for a mean over pairs of coders; `missing` is
    the usual conception of missing values; `symbols` are the symbols with the nominal distance and with another one.
    `named` is whether it needs the coder of each judgment, `nominal` whether it requires the nominal distance.
    """

    name: str
    kind: str
    missing: str
    symbols: tuple[str, str]
    named: bool = False
    nominal: bool = False

    def symbol(self, distance: str, coders: int) -> str:
        """Return the symbol of the coefficient for a distance and a number of coders."""
        if self.name == "kappa" and distance != "nominal":
            return "κ_w" if coders == CODERS_PER_PAIR else "β"
        if self.name == "kappa" and coders != CODERS_PER_PAIR:
            return "multi-κ"
        return self.symbols[distance != "nominal"]


# Each coefficient with its sources.
_ALL_SPECS = (
    # with a distance, 1 - D_o / (the largest distance)
    CoefficientSpec("observed", "none", "IL", ("A_o", "A_o")),
    # Bennett, Alpert & Goldstein 1954; Brennan & Prediger 1981; Randolph 2005
    CoefficientSpec("s", "uniform", "IL", ("S", "S")),
    # Scott 1955; Fleiss 1971; Artstein & Poesio 2005 (α′)
    CoefficientSpec("pi", "items", "IL", ("π", "α′")),
    # Cohen 1960, 1968; Davies & Fleiss 1982; Artstein & Poesio 2005
    CoefficientSpec("kappa", "coders", "IL", ("κ", "β"), named=True),
    # Conger 1980; Gwet 2014
    CoefficientSpec("kappa-conger", "conger", "IL", ("κ (Conger)", "κ_w (Conger)"), named=True),
    # Light 1971
    CoefficientSpec("kappa-mean", "pairs", "RM", ("mean κ", "mean κ_w"), named=True),
    # Krippendorff 1980, 2011
    CoefficientSpec("alpha", "values", "VL", ("α", "α")),
    # Gwet 2008
    CoefficientSpec("ac1", "gwet", "IL", ("AC₁", "AC₂")),
    # Byrt, Bishop & Carlin 1993
    CoefficientSpec("pabak", "half", "IL", ("2A_o-1", "2A_o-1"), nominal=True),
)

SPECS = {spec.name: spec for spec in _ALL_SPECS}
"""Coefficients by name."""

ALIASES = {
    **dict.fromkeys(("k", "multi-pi", "fleiss", "scott", "alpha-prime"), "pi"),
    **dict.fromkeys(("cohen", "multi-kappa", "kappa-w", "weighted-kappa", "beta", "davies-fleiss"), "kappa"),
    **dict.fromkeys(("brennan-prediger", "randolph", "bennett"), "s"),
    **dict.fromkeys(("krippendorff",), "alpha"),
    **dict.fromkeys(("ac2", "gwet"), "ac1"),
    **dict.fromkeys(("conger",), "kappa-conger"),
    **dict.fromkeys(("light",), "kappa-mean"),
    **dict.fromkeys(("a-o", "ao", "agreement"), "observed"),
}
"""Other names of the same coefficients."""


def spec_of(name: str) -> CoefficientSpec:
    """Return the coefficient with this name or alias; case does not matter, and ``_`` equals ``-``."""
    key = name.strip().lower().replace("_", "-")
    key = ALIASES.get(key, key)
    if key not in SPECS:
        names = ", ".join(SPECS)
        aliases = ", ".join(ALIASES)
        hint = did_you_mean(key, [*SPECS, *ALIASES])
        raise SettingsError(f"there is no coefficient {name!r}; there are {names} ({aliases}){hint}")
    return SPECS[key]


# Reasons why a coefficient is not available. They are part of results, so their texts are stable.
NO_ITEMS = "no item was judged"
ONE_CODER = "one coder only"
NO_PAIRS = "no item was judged by two coders"
NO_COMPLETE = "no item was judged by every coder"
NO_VARIATION = "no disagreement by chance: a single category"
NO_VARIATION_PAIR = "no disagreement by chance between two of the coders: a single category"
UNNAMED_CODERS = "the table does not say who judged what"
NOT_TWO = "defined for two coders"
NOT_BINARY = "defined for two categories"
TOO_MANY_PAIRS = "too many pairs of coders"
EMPTY_CELL = "an empty cell: without correction the estimate is at its bound"
NOT_ENOUGH_CODERS = "too few coders for so many classes"
TOO_LARGE = "categories too far apart: their distance is no longer a number"

# Reasons why an available coefficient has no error or interval.
ONE_ITEM = "one item: no spread to estimate an error from"
FEW_DISAGREE = "fewer than two items disagree: this kind of interval needs them"
NO_REMAINING_VARIATION = "without some single item there is no variation left"
NO_REPLICATE = "no replicate has a value"
TOO_MUCH_WORK = "too many items and categories to resample with this distance"
NOT_FOR_THIS = "this method is not defined for this coefficient"

REASONS = (
    *(NO_ITEMS, ONE_CODER, NO_PAIRS, NO_COMPLETE, NO_VARIATION, NO_VARIATION_PAIR, UNNAMED_CODERS, NOT_TWO, NOT_BINARY),
    *(TOO_MANY_PAIRS, EMPTY_CELL, NOT_ENOUGH_CODERS, TOO_LARGE),
)
"""All reasons why a coefficient is not available."""

ERROR_REASONS = (ONE_ITEM, FEW_DISAGREE, NO_REMAINING_VARIATION, NO_REPLICATE, TOO_MUCH_WORK, NOT_FOR_THIS)
"""All reasons why an available coefficient has no error or interval."""
