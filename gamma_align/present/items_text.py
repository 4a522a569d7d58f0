"""Agreement on items as text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from gamma_align.columns import FloatArray
from gamma_align.data import counted, label_text, printable
from gamma_align.inference import Value
from gamma_align.insight import verdicts
from gamma_align.insight.replacement import JudgeResult
from gamma_align.measures.items import (
    WARNING,
    CategoryAgreement,
    CoderPair,
    ItemDisagreements,
    ItemResult,
    LatentClasses,
    MarginsTest,
)
from gamma_align.present.items_tables import (
    categories_table,
    coders_text,
    coefficients_table,
    items_table,
    pairs_table,
)
from gamma_align.present.judges_tables import judges_table, positions_table
from gamma_align.present.table import NEUTRAL, FormNames, Table, further
from gamma_align.present.writers.cells import number_text, probability_text
from gamma_align.present.writers.lines import aligned_lines, blocks_text
from gamma_align.present.writers.text import section_lines, table_lines

# Maximum numbers of rows in the terminal; JSON has all.
_MAX_CATEGORIES = 40
_MAX_ITEMS = 20
_MAX_PAIRS = 40

_MAX_SHARES = 10  # categories whose prevalence is listed
_MAX_MATRIX_CATEGORIES = 20  # a matrix of more categories is too wide for a terminal
_MIN_PAIRS = 2  # κ of a single pair of coders is among the coefficients

_AICKIN_TEXT = "Aickin's a, the share of items that are easy"
_INTERVAL_METHODS = {
    "jackknife": "jackknife over items, score interval with Student's t",
    "linearised": "linearised error over items, Student's t",
    "bootstrap": "bootstrap over items, percentiles",
    "fce": "large-sample error (Fleiss, Cohen & Everitt 1969)",
    "pairs": "pair bootstrap (Hayes & Krippendorff 2007): too narrow, for comparison only",
}


class Extras(NamedTuple):
    """Results and settings that are shown on request with the coefficients."""

    categories: tuple[CategoryAgreement, ...] = ()
    items: ItemDisagreements | None = None
    pairs: tuple[CoderPair, ...] = ()
    confusions: tuple[FloatArray, ...] = ()
    aickin: Value | None = None
    latent: LatentClasses | None = None
    judges: tuple[JudgeResult, ...] = ()
    threshold: float | None = None
    scale: str | None = None


_NO_EXTRAS = Extras()


def items_text(result: ItemResult, extras: Extras = _NO_EXTRAS, form_names: FormNames = NEUTRAL) -> str:
    """Return the coefficients and the requested extras as text."""
    blocks = [
        [_summary(result)],
        _coefficients(result, extras),
        _sentences(result, extras),
        _chance(result),
        _lines(categories_table(extras.categories), _MAX_CATEGORIES, form_names),
        [] if extras.items is None else _lines(items_table(extras.items), _MAX_ITEMS, form_names),
        _lines(pairs_table(extras.pairs), _MAX_PAIRS, form_names) if len(extras.pairs) >= _MIN_PAIRS else [],
        *(_matrix(result, *pair, form_names) for pair in zip(extras.pairs, extras.confusions, strict=False)),
        [] if extras.aickin is None else [f"{_AICKIN_TEXT}: {number_text(extras.aickin.value)}"],
        _latent(extras.latent),
        *(_lines(table(extras.judges), _MAX_ITEMS, form_names) for table in (judges_table, positions_table)),
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
    lines = table_lines(coefficients_table(result, threshold=extras.threshold, scale=extras.scale), indent="  ")
    agreement = result.coefficients.get("observed")
    # The largest nominal distance is 1, so A_o is simply 1 - D_o.
    if agreement is not None and agreement.is_available and agreement.distance != "nominal":
        largest = f"d_max = {agreement.expected:.4g} is the largest distance of two categories"
        lines.append(f"  A_o is 1 - D_o/d_max: {largest}")
    method = result.settings["interval"]
    return [*lines, f"  interval: {_INTERVAL_METHODS[method]}"] if method else lines


def _sentences(result: ItemResult, extras: Extras) -> list[str]:
    """Return the verdict by α, else by the first coefficient but A_o, and the range of κ over pairs of coders."""
    values = [value for name, value in result.coefficients.items() if name != "observed"]
    main = result.coefficients.get("alpha") or next(iter(values), None)
    sentences = []
    if main is not None:
        sentences.append(verdicts.item_agreement(result.table["coders"], main, main.low, main.high, main.symbol))
    if len(extras.pairs) >= _MIN_PAIRS:
        pairs = [(pair.first, pair.second, pair.kappa.value) for pair in extras.pairs]
        sentences.append(f"{verdicts.pairs_of_coders('κ', pairs)}.")
    return sentences


def _chance(result: ItemResult) -> list[str]:
    """Return κ, π and 2A_o - 1 side by side with bias and prevalence (Di Eugenio & Glass 2004)."""
    report = result.chance
    if report.pi.reason is not None:
        return []
    rows = [("κ", str(report.kappa)), ("π", str(report.pi)), ("2A_o-1", str(report.pabak))]
    rows.append(("bias B", number_text(report.bias)))
    if report.byrt is not None:
        rows.append(("bias index", number_text(report.byrt.bias)))
        rows.append(("prevalence index", number_text(report.byrt.prevalence)))
    if not math.isnan(report.kappa_max):
        rows.append(("largest κ possible", number_text(report.kappa_max)))
    if report.margins is not None:
        rows.append(("equal margins", _margins(report.margins)))
    rows.append(("prevalence", _prevalence(report.prevalence)))
    return ["chance, bias and prevalence (nominal; Di Eugenio & Glass 2004)", *aligned_lines(rows, indent="  ")]


def _margins(test: MarginsTest) -> str:
    """Return Stuart's test of the margins; the reason if there is none."""
    if math.isnan(test.statistic):
        return "not tested: the categories are too many"
    if not test.freedom:
        return "the coders never differ"
    return f"p {probability_text(test.p)} (Stuart: X² {test.statistic:.4g}, {test.freedom} df)"


def _prevalence(share_of_category: Mapping[str, float]) -> str:
    """Return the most frequent categories with their shares."""
    ordered = sorted(share_of_category.items(), key=lambda entry: -entry[1])
    shares = ", ".join(f"{label_text(label)} {share:.1%}" for label, share in ordered[:_MAX_SHARES])
    return shares if len(ordered) <= _MAX_SHARES else f"{shares} … ({len(ordered)} in all)"


def _lines(table: Table, max_rows: int, form_names: FormNames) -> list[str]:
    """Return the title and the first rows of a table; nothing if it has no rows."""
    return section_lines(table.first(max_rows, further("more", "json")), form_names=form_names)


def _matrix(result: ItemResult, pair: CoderPair, cells: FloatArray, form_names: FormNames) -> list[str]:
    """Return the number of items by category of two coders: the first in rows, the second in columns."""
    names = result.table["categories"]
    if names is None or len(names) > _MAX_MATRIX_CATEGORIES:
        return [f"{coders_text(pair)}: too many categories for a table; {form_names.json} has them"]
    labels = [label_text(label) for label in names]
    rows = [["", *labels]]
    for label, counts in zip(labels, cells, strict=True):
        rows.append([label, *(f"{count:g}" for count in counts)])
    title = f"items by category of {printable(pair.first)} (rows) and {printable(pair.second)} (columns)"
    return [title, *aligned_lines(rows, right=range(1, len(labels) + 1), indent="  ")]


def _latent(model: LatentClasses | None) -> list[str]:
    if model is None:
        return []
    if model.reason is not None:
        return [f"latent classes: NA ({model.reason})"]
    fit = model.fit
    noun = "latent class" if len(model.shares) == 1 else "latent classes"
    criteria = f"log-likelihood {model.log_likelihood:.4f}, AIC {model.aic:.2f}, BIC {model.bic:.2f}"
    tests = f"G² {fit.g2:.2f} (p {probability_text(fit.p_g2)}), X² {fit.x2:.2f} (p {probability_text(fit.p_x2)})"
    lines = [f"{len(model.shares)} {noun}: {criteria}", f"  fit: {tests}, {fit.freedom:.6g} degrees of freedom"]
    if fit.sparse:
        lines.append("  most patterns of judgments are expected fewer than five times: do not trust these p values")
    if len(model.categories) > _MAX_MATRIX_CATEGORIES:
        return lines
    rows = [["class", "share", "coder", *map(label_text, model.categories)]]
    for index, (share, response) in enumerate(zip(model.shares.tolist(), model.response.tolist(), strict=True), 1):
        class_cells = [str(index), f"{share:.1%}"]
        for coder, shares in zip(model.coders, response, strict=True):
            rows.append([*class_cells, printable(coder), *(f"{value:.3f}" for value in shares)])
            class_cells = ["", ""]  # only the first row of a class names it
    return [*lines, *aligned_lines(rows, right=(1, *range(3, len(rows[0]))), indent="  ")]
