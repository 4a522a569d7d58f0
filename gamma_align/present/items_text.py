"""Results on items as text for people, and as CSV."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data.wording import counted, label_text, printable
from gamma_align.inference.values import Value
from gamma_align.measures.items.categories import CategoryAgreement, CoderPair, ItemDisagreements
from gamma_align.measures.items.items_result import WARNING, ItemCoefficient, ItemResult, word
from gamma_align.measures.items.latent import LatentClasses
from gamma_align.present.table import NEUTRAL, FormNames
from gamma_align.present.writers.data import csv_text
from gamma_align.present.writers.text import Footnotes, aligned_lines, blocks_text, left_out

MOST_CATEGORIES = 40  # a longer list of categories is cut
MOST_SHARES = 10  # so many are named with their share
MOST_ITEMS = 20  # so many items are listed, those of the largest disagreement
MOST_PAIRS = 40  # a longer list of pairs of coders is cut
MOST_COLUMNS = 20  # a table with more categories than these is not printed

_CSV_HEAD = (
    *("name", "symbol", "value", "low", "high", "error", "observed", "expected", "distance", "missing"),
    *("items", "pairable", "reason", "error_reason"),
)
_PAIRS_HEAD = ("first", "second", "items", "kappa", "kappa_max", "first_category", "second_category", "count")
_SMALL = 1e-4
_METHODS = {
    "jackknife": "jackknife over items, score interval with Student's t",
    "linearised": "linearised error over items, Student's t",
    "bootstrap": "bootstrap over items, percentiles",
    "fce": "large-sample error (Fleiss, Cohen & Everitt 1969)",
    "pairs": "pair bootstrap (Hayes & Krippendorff 2007): too narrow, for comparison only",
}


class Extras(NamedTuple):
    """What is shown on request beside the coefficients."""

    categories: tuple[CategoryAgreement, ...] = ()
    items: ItemDisagreements | None = None
    pairs: tuple[CoderPair, ...] = ()
    confusions: tuple[FloatArray, ...] = ()
    aickin: Value | None = None
    latent: LatentClasses | None = None
    threshold: float | None = None
    scale: str | None = None


def items_text(result: ItemResult, extras: Extras, form_names: FormNames = NEUTRAL) -> str:
    """Return a result for people."""
    blocks = [
        [_summary(result)],
        _coefficients(result, extras),
        _chance(result),
        _categories(extras.categories, form_names),
        _items(extras.items, form_names),
        _pairs(extras.pairs, form_names),
        *(_confusion(result, *pair, form_names) for pair in zip(extras.pairs, extras.confusions, strict=False)),
        [] if extras.aickin is None else [f"Aickin's a, the share of items that are easy: {_short(extras.aickin)}"],
        _latent(extras.latent),
        [f"{extras.scale}: {WARNING}"] if extras.scale else [],
        [printable(result.signature)],
    ]
    return blocks_text(blocks)


def _summary(result: ItemResult) -> str:
    about = result.table
    categories = about["n_categories"]
    kind = "declared" if about["declared"] else "observed"
    return ", ".join(
        (
            counted(about["items"], "item"),
            counted(about["coders"], "coder"),
            f"{categories} {kind} {'category' if categories == 1 else 'categories'}",
            f"{counted(about['judgments'], 'judgment')} ({about['missing']:.1%} missing)",
        )
    )


def _coefficients(result: ItemResult, extras: Extras) -> list[str]:
    level = f"{100 * result.settings['level']:g} % interval"
    method = result.settings["interval"]
    head = ["", "value", *([level] if method else []), "D_o", "D_e", "missing"]
    if method:
        head.append("p (= 0)")
    if extras.threshold is not None:
        head.append(f"P(< {extras.threshold:g})")
    if extras.scale:
        head.append(extras.scale)
    footnotes = Footnotes()
    rows = [head, *(_coefficient(value, head, extras, footnotes) for value in result.coefficients.values())]
    lines = aligned_lines(rows, right=(1, *range(3 if method else 2, len(head) - bool(extras.scale))), indent="  ")
    lines += [f"  {line}" for line in footnotes.lines()]
    agreement = result.coefficients.get("observed")
    if agreement is not None and agreement.is_available and agreement.distance != "nominal":
        largest = f"d_max = {agreement.expected:.4g} is the largest distance of two categories"
        lines.append(f"  A_o is 1 - D_o/d_max: {largest}")
    return [*lines, f"  interval: {_METHODS[method]}"] if method else lines


def _coefficient(value: ItemCoefficient, head: list[str], extras: Extras, footnotes: Footnotes) -> list[str]:
    if value.reason is not None:
        return [value.symbol, f"NA {footnotes.number(value.reason)}", *[""] * (len(head) - 2)]
    cells = [value.symbol, f"{value.value:.4f}"]
    if value.interval is not None:
        reason = value.uncertainty.reason
        cells.append(f"NA {footnotes.number(reason)}" if reason else f"[{value.low:.4f}, {value.high:.4f}]")
    cells += [f"{value.observed:.4g}", f"{value.expected:.4g}", value.missing]
    if value.interval is not None:
        # agreement that is not corrected for chance has nothing to test against 0
        cells.append("" if value.name == "observed" else _p(value.p_value()))
    if extras.threshold is not None:
        cells.append(_p(value.probability_below(extras.threshold)))
    if extras.scale:
        cells.append(word(value.value, extras.scale))
    return cells


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return "<0.0001" if value < _SMALL else f"{value:.4f}"


def _chance(result: ItemResult) -> list[str]:
    """Return κ, π and 2A_o - 1 side by side with bias and prevalence (Di Eugenio & Glass 2004)."""
    report = result.chance
    if report.pi.reason is not None:
        return []
    rows = [("κ", str(report.kappa)), ("π", str(report.pi)), ("2A_o-1", str(report.pabak))]
    rows.append(("bias B", "NA" if math.isnan(report.bias) else f"{report.bias:.4f}"))
    if report.byrt is not None:
        rows += [("bias index", f"{report.byrt.bias:.4f}"), ("prevalence index", f"{report.byrt.prevalence:.4f}")]
    if not math.isnan(report.kappa_max):
        rows.append(("largest κ possible", f"{report.kappa_max:.4f}"))
    shares = sorted(report.prevalence.items(), key=lambda pair: -pair[1])[:MOST_SHARES]
    more = f" … ({len(report.prevalence)} in all)" if len(report.prevalence) > len(shares) else ""
    named = ", ".join(f"{label_text(label)} {share:.1%}" for label, share in shares)
    rows.append(("prevalence", named + more))
    return ["chance, bias and prevalence (nominal; Di Eugenio & Glass 2004)", *aligned_lines(rows, indent="  ")]


def _categories(categories: Sequence[CategoryAgreement], form_names: FormNames) -> list[str]:
    if not categories:
        return []
    rows = [["category", "judgments", "α", "π", "κ", "specific"]]
    for entry in categories[:MOST_CATEGORIES]:
        values = [_short(value) for value in (entry.alpha, entry.pi, entry.kappa, entry.specific)]
        rows.append([label_text(entry.category), str(entry.judgments), *values])
    lines = aligned_lines(rows, right=range(1, 6), indent="  ")
    return [
        "each category against all others",
        *lines,
        *left_out(len(categories) - MOST_CATEGORIES, "more", form_names=form_names),
    ]


def _short(value: Value) -> str:
    return "NA" if value.reason is not None else f"{value.value:.4f}"


def _items(items: ItemDisagreements | None, form_names: FormNames) -> list[str]:
    if items is None:
        return []
    known = [item for item, value in enumerate(items.disagreement.tolist()) if not math.isnan(value)]
    worst = sorted(known, key=lambda item: (-items.disagreement[item], item))[:MOST_ITEMS]
    rows = [["item", "judgments", "disagreement"]]
    rows += [[printable(items.items[i]), str(items.judgments[i]), f"{items.disagreement[i]:.4g}"] for i in worst]
    lines = aligned_lines(rows, right=(1, 2), indent="  ")
    return [
        "items of the largest disagreement",
        *lines,
        *left_out(len(known) - len(worst), "more", form_names=form_names),
    ]


def _pairs(pairs: Sequence[CoderPair], form_names: FormNames) -> list[str]:
    if len(pairs) < 2:  # noqa: PLR2004  (κ of two coders is among the coefficients)
        return []
    rows = [["coders", "items", "κ", "largest κ possible"]]
    for pair in pairs[:MOST_PAIRS]:
        largest = "NA" if math.isnan(pair.kappa_max) else f"{pair.kappa_max:.4f}"
        names = f"{printable(pair.first)}, {printable(pair.second)}"
        rows.append([names, str(pair.items), _short(pair.kappa), largest])
    lines = aligned_lines(rows, right=range(1, 4), indent="  ")
    return [
        "every two coders, on the items both judged",
        *lines,
        *left_out(len(pairs) - MOST_PAIRS, "more", form_names=form_names),
    ]


def _confusion(result: ItemResult, pair: CoderPair, cells: FloatArray, form_names: FormNames) -> list[str]:
    """Return the items of each pair of categories of two coders: the first in rows, the second in columns."""
    names = result.table["categories"]
    if names is None or len(names) > MOST_COLUMNS:
        names_of_coders = f"{printable(pair.first)}, {printable(pair.second)}"
        return [f"{names_of_coders}: too many categories for a table; {form_names.json} has them"]
    labels = [label_text(label) for label in names]
    rows = [["", *labels], *([label, *(f"{cell:g}" for cell in row)] for label, row in zip(labels, cells, strict=True))]
    about = f"items by category of {printable(pair.first)} (rows) and {printable(pair.second)} (columns)"
    return [about, *aligned_lines(rows, right=range(1, len(labels) + 1), indent="  ")]


def _latent(model: LatentClasses | None) -> list[str]:
    if model is None:
        return []
    if model.reason is not None:
        return [f"latent classes: NA ({model.reason})"]
    fit = model.fit
    words = "latent class" if len(model.shares) == 1 else "latent classes"
    criteria = f"log-likelihood {model.log_likelihood:.4f}, AIC {model.aic:.2f}, BIC {model.bic:.2f}"
    tests = f"G² {fit.g2:.2f} (p {_p(fit.p_g2) or 'NA'}), X² {fit.x2:.2f} (p {_p(fit.p_x2) or 'NA'})"
    lines = [f"{len(model.shares)} {words}: {criteria}", f"  fit: {tests}, {fit.freedom:.6g} degrees of freedom"]
    if fit.sparse:
        lines.append("  most patterns of judgments are expected fewer than five times: do not trust these p values")
    if len(model.categories) > MOST_COLUMNS:
        return lines
    rows = [["class", "share", "coder", *map(label_text, model.categories)]]
    for number, (share, response) in enumerate(zip(model.shares.tolist(), model.response.tolist(), strict=True), 1):
        head = [str(number), f"{share:.1%}"]
        for coder, shares in zip(model.coders, response, strict=True):
            rows.append([*head, printable(coder), *(f"{value:.3f}" for value in shares)])
            head = ["", ""]
    return [*lines, *aligned_lines(rows, right=(1, *range(3, len(rows[0]))), indent="  ")]


def items_csv(result: ItemResult, extras: Extras) -> str:
    """Return a result as CSV: a row a coefficient; what is not available is empty."""
    rows = [[getattr(value, name) for name in _CSV_HEAD] for value in result.coefficients.values()]
    if extras.aickin is not None:
        cells = {"name": "aickin", "symbol": "a", "value": extras.aickin.value, "reason": extras.aickin.reason}
        rows.append([cells.get(name) for name in _CSV_HEAD])
    return csv_text([_CSV_HEAD, *rows])


def pairs_csv(result: ItemResult, extras: Extras) -> str:
    """Return pairs of coders as CSV: a row for each pair of categories that items have, and its pair's κ."""
    names = result.table["categories"] or ()
    rows: list[list[object]] = []
    for pair, cells in zip(extras.pairs, extras.confusions, strict=True):
        about = [pair.first, pair.second, pair.items, pair.kappa.value, pair.kappa_max]
        some = np.argwhere(cells > 0).tolist()
        rows += [[*about, names[first], names[second], f"{cells[first, second]:g}"] for first, second in some]
        rows += [] if some else [[*about, None, None, None]]
    return csv_text([_PAIRS_HEAD, *rows])
