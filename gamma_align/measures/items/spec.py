"""The coefficients on items (names, symbols, defaults), and every reason for which one is not available."""

from __future__ import annotations

from dataclasses import dataclass

from gamma_align.errors import SettingsError, did_you_mean


@dataclass(frozen=True, slots=True)
class CoefficientSpec:
    """One coefficient.

    `kind` is what the expected disagreement is made of (see `core`), "pairs" for a mean over pairs of
    coders; `missing` the literature's conception of missing values; `symbols` what the coefficient is called with the
    nominal distance and with another one. `named` is whether it needs to know who judged what, `nominal` whether it is
    defined for the nominal distance alone.
    """

    name: str
    kind: str
    missing: str
    symbols: tuple[str, str]
    named: bool = False
    nominal: bool = False

    def symbol(self, distance: str, coders: int) -> str:
        """Return what the coefficient is called here."""
        if self.name == "kappa" and distance != "nominal":
            return "κ_w" if coders == 2 else "β"  # noqa: PLR2004
        if self.name == "kappa" and coders != 2:  # noqa: PLR2004
            return "multi-κ"
        return self.symbols[distance != "nominal"]


_ALL = (
    # with a distance, 1 less D_o as a share of the largest distance
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

SPECS = {spec.name: spec for spec in _ALL}
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
    """Return the coefficient of a name; ``_`` is as good as ``-``, and case does not matter."""
    plain = name.strip().lower().replace("_", "-")
    plain = ALIASES.get(plain, plain)
    if plain not in SPECS:
        known, aliases = ", ".join(SPECS), ", ".join(ALIASES)
        hint = did_you_mean(plain, [*SPECS, *ALIASES])
        raise SettingsError(f"there is no coefficient {name!r}; there are {known} ({aliases}){hint}")
    return SPECS[plain]


NO_ITEMS = "no item was judged"
ONE_CODER = "one coder only"
NO_PAIRS = "no item was judged by two coders"
NO_COMPLETE = "no item was judged by every coder"
NO_VARIATION = "no disagreement by chance: a single category"
NO_VARIATION_PAIR = "no disagreement by chance between two of the coders: a single category"
ANONYMOUS = "the table does not say who judged what"
NOT_TWO = "defined for two coders"
NOT_BINARY = "defined for two categories"
TOO_MANY_PAIRS = "too many pairs of coders"
EMPTY_CELL = "an empty cell: without correction the estimate is at its bound"
NOT_ENOUGH_CODERS = "too few coders for so many classes"
TOO_LARGE = "categories too far apart: their distance is no longer a number"

ONE_ITEM = "one item: no spread to estimate an error from"
FEW_DISAGREE = "fewer than two items disagree: this kind of interval needs them"
UNSTABLE = "without some single item there is no variation left"
NO_REPLICATE = "no replicate has a value"
TOO_MUCH_WORK = "too many items and categories to resample with this distance"
NOT_FOR_THIS = "this method is not defined for this coefficient"

REASONS = (
    *(NO_ITEMS, ONE_CODER, NO_PAIRS, NO_COMPLETE, NO_VARIATION, NO_VARIATION_PAIR, ANONYMOUS, NOT_TWO, NOT_BINARY),
    *(TOO_MANY_PAIRS, EMPTY_CELL, NOT_ENOUGH_CODERS, TOO_LARGE),
)
"""Every reason for which a coefficient is not available."""

ERROR_REASONS = (ONE_ITEM, FEW_DISAGREE, UNSTABLE, NO_REPLICATE, TOO_MUCH_WORK, NOT_FOR_THIS)
"""Every reason for which a coefficient that is available has no error or interval."""
