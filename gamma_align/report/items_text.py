"""Results on items as text for people, and as CSV."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, NamedTuple

from gamma_align.coefficients.items_scales import WARNING, word
from gamma_align.report._plain import counted, label_text, printable, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gamma_align.coefficients.items_categories import CategoryAgreement, ItemDisagreements
    from gamma_align.coefficients.items_values import ItemCoefficient, ItemResult
    from gamma_align.coefficients.values import Value

MOST_CATEGORIES = 40
"""A longer list of categories is cut."""
MOST_SHARES = 10
"""So many are named with their share."""
MOST_ITEMS = 20
"""So many items are listed, those of the largest disagreement."""

_CSV_HEAD = (
    *("name", "symbol", "value", "low", "high", "error", "observed", "expected", "distance", "missing"),
    *("items", "pairable", "reason"),
)
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
    threshold: float | None = None
    scale: str | None = None


def items_text(result: ItemResult, extras: Extras) -> str:
    """Return a result for people."""
    blocks = [
        [_summary(result)],
        _coefficients(result, extras),
        _chance(result),
        _categories(extras.categories),
        _items(extras.items),
        [f"{extras.scale}: {WARNING}"] if extras.scale else [],
        [printable(result.signature)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


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
    footnotes: list[str] = []
    rows = [head, *(_coefficient(value, head, extras, footnotes) for value in result.coefficients.values())]
    lines = table(rows, right=(1, *range(3 if method else 2, len(head) - bool(extras.scale))), indent="  ")
    told = [f"  ({at}) {reason}" for at, reason in enumerate(footnotes, 1)]
    if method:
        told.append(f"  interval: {_METHODS[method]}")
    return lines + told


def _coefficient(value: ItemCoefficient, head: list[str], extras: Extras, footnotes: list[str]) -> list[str]:
    if value.reason is not None:
        return [value.symbol, f"NA ({_note(value.reason, footnotes)})", *[""] * (len(head) - 2)]
    cells = [value.symbol, f"{value.value:.4f}"]
    if value.interval is not None:
        reason = value.spread.reason
        cells.append(f"NA ({_note(reason, footnotes)})" if reason else f"[{value.low:.4f}, {value.high:.4f}]")
    cells += [f"{value.observed:.4g}", f"{value.expected:.4g}", value.missing]
    if value.interval is not None:
        # agreement that is not corrected for chance has nothing to test against 0
        cells.append("" if value.name == "observed" else _p(value.p_value()))
    if extras.threshold is not None:
        cells.append(_p(value.probability_below(extras.threshold)))
    if extras.scale:
        cells.append(word(value.value, extras.scale))
    return cells


def _note(reason: str, footnotes: list[str]) -> int:
    if reason not in footnotes:
        footnotes.append(reason)
    return footnotes.index(reason) + 1


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
    told = ", ".join(f"{label_text(label)} {share:.1%}" for label, share in shares) + more
    rows.append(("prevalence", told))
    return ["chance, bias and prevalence (nominal; Di Eugenio & Glass 2004)", *table(rows, indent="  ")]


def _categories(categories: Sequence[CategoryAgreement]) -> list[str]:
    if not categories:
        return []
    rows = [["category", "judgments", "α", "π", "κ", "specific"]]
    for one in categories[:MOST_CATEGORIES]:
        values = [_short(value) for value in (one.alpha, one.pi, one.kappa, one.specific)]
        rows.append([label_text(one.category), str(one.judgments), *values])
    lines = table(rows, right=range(1, 6), indent="  ")
    left = len(categories) - MOST_CATEGORIES
    return [
        "each category against all others",
        *lines,
        *([f"  … and {left} more: --json has them"] if left > 0 else []),
    ]


def _short(value: Value) -> str:
    return "NA" if value.reason is not None else f"{value.value:.4f}"


def _items(items: ItemDisagreements | None) -> list[str]:
    if items is None:
        return []
    known = [at for at, value in enumerate(items.disagreement.tolist()) if not math.isnan(value)]
    worst = sorted(known, key=lambda at: (-items.disagreement[at], at))[:MOST_ITEMS]
    rows = [["item", "judgments", "disagreement"]]
    rows += [[printable(items.items[at]), str(items.judgments[at]), f"{items.disagreement[at]:.4g}"] for at in worst]
    left = len(known) - len(worst)
    return [
        "items of the largest disagreement",
        *table(rows, right=(1, 2), indent="  "),
        *([f"  … and {left} more: --json has them"] if left else []),
    ]


def items_csv(result: ItemResult) -> str:
    """Return a result as CSV: a row a coefficient; what is not available is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_CSV_HEAD)
    for value in result.coefficients.values():
        writer.writerow([_cell(getattr(value, name)) for name in _CSV_HEAD])
    return stream.getvalue()


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    return str(value)
