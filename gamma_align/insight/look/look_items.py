"""The first look at a table of items: α, κ of pairs of coders, the labels that are exchanged most often."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gamma_align.data import ItemTable
from gamma_align.distances import Distance, Nominal
from gamma_align.inference import Value, clustered_error, t_quantile
from gamma_align.insight import verdicts
from gamma_align.insight.comparison.paired_items import influence_of
from gamma_align.insight.look.look_result import Look, LookValue
from gamma_align.insight.replacement.instances import drop_coders
from gamma_align.measures.items import (
    MAX_CODER_PAIRS,
    SPECS,
    ItemResult,
    coder_agreement,
    item_agreement,
    krippendorff_alpha,
)

_COEFFICIENTS = ("alpha", "kappa", "observed")
_PAIR = 2  # coders
_MIN_GROUPS = 3  # of items; two have no spread to speak of
_SCALES = (
    "none mild moderate severe",
    "none low medium high",
    "never rarely sometimes often always",
    "very bad|bad|fair|good|very good",
    "poor fair good excellent",
    "strongly disagree|disagree|neutral|agree|strongly agree",
    "negative neutral positive",
)
"""Words of usual scales, the lowest first."""


def look_at_items(table: ItemTable, models: Sequence[str], distance: Distance) -> Look:
    """Return the look at the people of a table."""
    if models:
        table = drop_coders(table, models)
    result = item_agreement(table, coefficients=_COEFFICIENTS, distance=distance)
    alpha = result["alpha"]
    groups = _groups(table)
    value = _value(result, table, "alpha", groups, distance)
    remark = _alpha_remark(result, table, distance, groups)
    return Look(
        size=verdicts.item_sizes(len(table), len(table.coders), table.n_categories, _missing(table)),
        verdict=(verdicts.item_agreement(len(table.coders), alpha, value.low, value.high, alpha.symbol),),
        values=(
            LookValue("alpha", alpha.symbol, value, remark),
            *_further_values(result, table, groups, distance),
        ),
        remarks=tuple(_remarks(table, distance)),
        signature=result.signature,
        notes=result.notes,
        result=result,
    )


def _missing(table: ItemTable) -> int:
    return 0 if table.anonymous else int((table.codes < 0).sum())


def _groups(table: ItemTable) -> list[str]:
    """Return the group of each item, the part of its name before a comma; empty if items are not in groups.

    Reading joins the columns that name an item, such as night and epoch, by a comma. Items of one group depend on each
    other.
    """
    names = [name.rpartition(", ") for name in table.names or ()]
    groups = [group for group, comma, _ in names if comma]
    counts = Counter(groups)
    is_grouped = names and len(groups) == len(names) and len(counts) >= _MIN_GROUPS and min(counts.values()) > 1
    return groups if is_grouped else []


def _value(result: ItemResult, table: ItemTable, name: str, groups: Sequence[str], distance: Distance) -> Value:
    """Return a coefficient with its interval over items, or over groups of them."""
    found = result[name]
    value = found.as_value()
    if not groups or not found.is_available:
        return value
    influence = influence_of(table, SPECS[name], distance, None)
    if influence.no_error is not None:
        return value
    _, cluster = np.unique(groups, return_inverse=True)
    error = clustered_error(influence.items, cluster.reshape(-1))
    half_width = t_quantile(int(cluster.max())) * error
    return replace(value, low=max(found.value - half_width, -1.0), high=min(found.value + half_width, 1.0))


def _alpha_remark(result: ItemResult, table: ItemTable, distance: Distance, groups: Sequence[str]) -> str:
    parts = [result["alpha"].distance]
    if groups:
        parts.append(verdicts.clustered(len({*groups}), groups[0]))
    if isinstance(distance, Nominal) and result["alpha"].is_available:
        parts += _with_ranks(table)
    return "; ".join(parts)


def _with_ranks(table: ItemTable) -> Iterator[str]:
    """Yield α with a distance of ranks, if the labels are numbers or words of a scale."""
    is_scale = False
    if not isinstance(table.labels, np.ndarray):
        order = next((words for words in map(_words_of, _SCALES) if _is_scale(table.categories, words)), None)
        if order is None:
            return
        is_scale = True
        by_name = {name.casefold(): name for name in table.categories}
        table = table.with_categories([by_name[word] for word in order if word in by_name])
    if table.n_categories > _PAIR:  # of two labels, ranks are the same
        alpha = krippendorff_alpha(table, distance="ordinal")
        if alpha.is_available:
            yield verdicts.other_distance(is_scale, "ordinal", alpha.value)


def _words_of(scale: str) -> list[str]:
    return scale.split("|") if "|" in scale else scale.split()


def _is_scale(categories: Sequence[str], words: Sequence[str]) -> bool:
    return {name.casefold() for name in categories} <= {*words}


def _further_values(
    result: ItemResult, table: ItemTable, groups: Sequence[str], distance: Distance
) -> Iterator[LookValue]:
    """Yield κ and the share of pairs of judgments that agree."""
    kappa = result["kappa"]
    yield LookValue("kappa", kappa.symbol, _value(result, table, "kappa", groups, distance), "")
    share = _value(result, table, "observed", groups, distance)
    yield LookValue("observed", "agree", share, "of two coders on one item")


def _remarks(table: ItemTable, distance: Distance) -> Iterator[str]:
    """Yield κ of pairs of coders, and the two labels that are exchanged most often."""
    n_coders = len(table.coders)
    if not table.anonymous and n_coders > _PAIR and n_coders * (n_coders - 1) // 2 <= MAX_CODER_PAIRS:
        kappas = coder_agreement(table, distance=distance)
        pairs = [
            (table.coders[first], table.coders[second], float(kappas[first, second]))
            for first, second in zip(*np.triu_indices(n_coders, 1), strict=True)
        ]
        symbol = "κ" if isinstance(distance, Nominal) else "κ_w"
        if any(not math.isnan(value) for *_, value in pairs):
            yield f"{verdicts.pairs_of_coders(symbol, pairs)}."
    yield from _exchanged(table)


def _exchanged(table: ItemTable) -> Iterator[str]:
    counts = np.zeros((len(table), table.n_categories))
    item, coder = np.nonzero(table.codes >= 0)
    np.add.at(counts, (item, table.codes[item, coder]), 1)
    pairs = np.triu(counts.T @ counts, 1)
    total = int(pairs.sum())
    if not total or table.n_categories <= _PAIR:
        return
    first, second = np.unravel_index(int(pairs.argmax()), pairs.shape)
    names = table.categories
    yield verdicts.most_exchanged(names[int(first)], names[int(second)], int(pairs.max()), total)
