"""What gamma_align gives beside the programs that are not Python: R's irr, DKPro Statistics and INCEpTION."""

from __future__ import annotations

import math

from cases import BINARY, INCEPTION, JUDGMENTS, SETS, THREE, TWO
from foreign import N_SAMPLES, SAMPLED, continua, enlarged_name, is_inception
from ours import Row

import gamma_align as ga

PERCENT = "a percentage there"
ALL_CODERS = "a percentage of items on which all coders agree; here of pairs of coders"
DROPS_ITEMS = 'items with a missing judgment are dropped there; `missing="RM"` does so here'
COUNTS_ONCE = "without missing judgments, pairs count once there, not 1/(coders - 1) times (Krippendorff 2011)"
BY_JUDGMENTS = 'items count by their judgments there; `missing="VL"` does so here'
COUNTS_JUDGMENTS = "items count by their judgments there, those with one judgment not at all; equally in Gwet 2014"
TWO_SCALES = "observed and expected disagreement are divided by different largest distances there"
FEW_SAMPLES = f"30 samples there, {N_SAMPLES:,} here"
DIFFERENT = "DIFFERENT"
"""The verdict on values that differ without a reason."""
EQUAL_DISORDERS = 1e-9
INCEPTION_DIGITS = 5e-5  # its tests have four digits


def coefficient(matrix: list[list[str]], name: str, **options: str) -> float:
    """Return a coefficient of a matrix of items × coders."""
    return ga.item_coefficient(ga.ItemTable.from_matrix(matrix), name, **options).value


def irr_rows() -> list[Row]:
    """Return the values beside R's irr."""
    levels = ("nominal", "ordinal", "interval", "ratio")
    return [
        Row("agree", '`"observed"`', coefficient(TWO, "observed"), PERCENT),
        Row("agree (three coders)", '`"observed"`', coefficient(THREE, "observed"), ALL_CODERS),
        Row("kappa2", '`"kappa"`', coefficient(TWO, "kappa")),
        Row("kappa2(weight='equal')", '`"kappa"`, `distance="linear"`', coefficient(TWO, "kappa", distance="linear")),
        Row("kappa2(weight='squared')", '`"kappa"`, `distance="interval"`',
            coefficient(TWO, "kappa", distance="interval")),
        Row("maxwell (two categories)", '`"s"`', coefficient(BINARY, "s")),
        Row("kappam.fleiss", '`"pi"`', coefficient(THREE, "pi")),
        Row("kappam.fleiss(exact=TRUE)", '`"kappa-conger"`', coefficient(THREE, "kappa-conger")),
        Row("kappam.light", '`"kappa-mean"`', coefficient(THREE, "kappa-mean")),
        Row("kappam.fleiss (missing judgments)", '`"pi"`', coefficient(JUDGMENTS, "pi"), DROPS_ITEMS),
        Row("kappam.fleiss (missing judgments)", '`"pi"`, `missing="RM"`', coefficient(JUDGMENTS, "pi", missing="RM")),
        *(Row(f"kripp.alpha({level})", f'`"alpha"`, `distance="{level}"`',
              coefficient(JUDGMENTS, "alpha", distance=level)) for level in levels),
        Row("kripp.alpha(nominal) (two coders)", '`"alpha"`', coefficient(TWO, "alpha")),
        Row("kripp.alpha(nominal) (three coders, none missing)", '`"alpha"`', coefficient(THREE, "alpha"), COUNTS_ONCE),
    ]  # fmt: skip


def dkpro_item_rows() -> list[Row]:
    """Return the values beside DKPro's coefficients on items."""
    squared = {"distance": "interval"}
    levels = ("nominal", "ordinal", "interval", "ratio")
    three, missing = " (three coders)", " (missing judgments)"
    weighted = '`"kappa"`, `distance="interval"`'
    return [
        Row("PercentageAgreement", '`"observed"`', coefficient(TWO, "observed")),
        Row("BennettSAgreement", '`"s"`', coefficient(TWO, "s")),
        Row("ScottPiAgreement", '`"pi"`', coefficient(TWO, "pi")),
        Row("CohenKappaAgreement", '`"kappa"`', coefficient(TWO, "kappa")),
        Row("WeightedKappaAgreement(interval)", weighted, coefficient(TWO, "kappa", **squared), TWO_SCALES),
        Row("GwetAC1Agreement", '`"ac1"`', coefficient(TWO, "ac1")),
        Row("GwetAC2Agreement(interval)", '`"ac1"`, `distance="interval"`', coefficient(TWO, "ac1", **squared)),
        Row("PercentageAgreement" + three, '`"observed"`', coefficient(THREE, "observed")),
        Row("RandolphKappaAgreement" + three, '`"s"`', coefficient(THREE, "s")),
        Row("FleissKappaAgreement" + three, '`"pi"`', coefficient(THREE, "pi")),
        Row("HubertKappaAgreement" + three, '`"kappa"`', coefficient(THREE, "kappa")),
        Row("WeightedKappaAgreement(interval)" + three, weighted, coefficient(THREE, "kappa", **squared), TWO_SCALES),
        *(Row(f"KrippendorffAlphaAgreement({level})", f'`"alpha"`, `distance="{level}"`',
              coefficient(JUDGMENTS, "alpha", distance=level)) for level in levels),
        Row("FleissKappaAgreement" + missing, '`"pi"`', coefficient(JUDGMENTS, "pi"), BY_JUDGMENTS),
        Row("FleissKappaAgreement" + missing, '`"pi"`, `missing="VL"`', coefficient(JUDGMENTS, "pi", missing="VL")),
        Row("GwetAC2Agreement(nominal)" + missing, '`"ac1"`', coefficient(JUDGMENTS, "ac1"), COUNTS_JUDGMENTS),
        Row("KrippendorffAlphaAgreement(MASI)", '`"alpha"`, `distance="masi-product"`',
            coefficient(SETS, "alpha", distance="masi-product")),
    ]  # fmt: skip


def dkpro_rows(theirs: dict[str, float]) -> list[Row]:
    """Return the values beside DKPro's; `theirs` has the errors of its samples."""
    rows = dkpro_item_rows()
    for name, (units, weights) in continua().items():
        if is_inception(name) or name.startswith("random"):
            continue
        records = [("d", *unit) for unit in units]
        rows.append(Row(f"{name}: disorder", "`ga.align(…).disorder`", ga.align(records, **weights).disorder))
        if name in SAMPLED:
            rows += sampled_rows(name, records, theirs)
    return rows


def sampled_rows(name: str, records: list[tuple[str, str, int, int, str]], theirs: dict[str, float]) -> list[Row]:
    """Return uα and γ of a continuum; the means of many samples may differ by four standard errors of both."""
    (alpha,) = ga.unitizing_alpha_2004(records)
    document = ga.gamma(records, conventions="pygamma", samples=N_SAMPLES).documents[0]
    error = theirs[f"{name}: standard error of this mean"]
    spread = theirs[f"{name}: standard deviation of gamma over seeds"]
    mean = document.gamma.expected
    # both means are of as many samples with the same spread
    tolerance = 4 * math.sqrt(2) * error
    call = '`ga.gamma(…, conventions="pygamma")`'
    why = f"{FEW_SAMPLES}; its standard deviation over seeds is {spread:.4f} there"
    return [
        Row(f"{name}: unitizing alpha", "`ga.unitizing_alpha_2004(…)`", alpha.alpha.value),
        Row(f"{name}: mean disorder of samples", f"{call}: `gamma.expected`", mean, "", tolerance),
        Row(f"{name}: gamma", f"{call}: `gamma`", float(document.gamma), why),
    ]


def inception_lines(theirs: dict[str, float]) -> list[str]:
    """Return γ that INCEpTION's tests expect, γ of DKPro called likewise, and both with many samples."""
    lines = []
    for name, (units, expected) in INCEPTION.items():
        value = theirs[f"{name}: gamma"]
        same = "the same" if abs(value - expected) <= INCEPTION_DIGITS else DIFFERENT
        many, enlarged = (
            1 - theirs[f"{key}: disorder"] / theirs[f"{key}: mean disorder of samples"]
            for key in (name, enlarged_name(name))
        )
        ours = ga.gamma([("d", *unit) for unit in units], conventions="pygamma", samples=N_SAMPLES)
        cells = (f"{number:.4f}" for number in (many, enlarged, float(ours.gamma)))
        lines.append(f"| {name} | {expected:.4f} | {value:.4f} | {same} | {' | '.join(cells)} |")
    return lines


def random_lines(theirs: dict[str, float]) -> list[str]:
    """Return a table of the least disorders of random continua, by the number of annotators."""
    differences: dict[int, list[float]] = {}
    for name, (units, weights) in continua().items():
        if name.startswith("random"):
            disorder = ga.align([("d", *unit) for unit in units], **weights).disorder
            n_annotators = len({annotator for annotator, *_ in units})
            differences.setdefault(n_annotators, []).append(abs(disorder - theirs[f"{name}: disorder"]))
    lines = ["| annotators | continua | equal within 1e-9 | largest difference | |", "|---:|---:|---:|---:|---|"]
    for n_annotators, values in sorted(differences.items()):
        n_equal = sum(value <= EQUAL_DISORDERS for value in values)
        same = "the same" if n_equal == len(values) else DIFFERENT
        lines.append(f"| {n_annotators} | {len(values)} | {n_equal} | {max(values):.1e} | {same} |")
    return lines
