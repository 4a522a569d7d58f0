"""Rows of items, made part by part and pooled in any order, give the result of the whole table: bytes and all."""

from __future__ import annotations

import json
import pickle
import random
from decimal import Decimal
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.measures.items.spec import SPECS

ALL = [*SPECS]
LABELS = {
    "text": ("b", "a", "x10", "x9"),
    "numbers as text": ("10", "9", "1", "2"),
    "numbers": (1, 2.5, -3, 10),
    "exact numbers": (2**53, 2**53 + 1, Decimal("0.1"), 4),
    "sets": (frozenset(), frozenset("a"), frozenset("ab"), frozenset("c")),
}


def written(result):
    return json.dumps(result.to_dict(), ensure_ascii=False)


def divide(rows, seed):
    """Return parts of a list in random order."""
    draw = random.Random(seed)  # noqa: S311  (an order, no secret)
    rows = [*rows]
    draw.shuffle(rows)
    parts = []
    while rows:
        size = draw.randint(1, 1 + len(rows) // 2)
        parts, rows = [*parts, rows[:size]], rows[size:]
    return parts


def check(table, parts, **options):
    """Check that pooled rows of the parts, in two orders, have the coefficients of the table."""
    options = {"coefficients": ALL, "replicates": 20, "interval": None, **options}
    item_settings = ga.ItemSettings.of(**options)
    rows = [ga.document_statistics(part, item_settings) for part in parts]
    expected = written(ga.item_agreement(table, **options))
    assert written(ga.pool(rows, item_settings)) == expected
    assert ga.pool(pickle.loads(pickle.dumps(rows[::-1])), item_settings) == ga.item_agreement(table, **options)  # noqa: S301
    return expected


def make_tables(judgments, seed):
    """Return the table of judgments and parts of it, which have only their own coders and categories."""
    items = {}
    for judgment in judgments:
        items.setdefault(judgment[0], []).append(judgment)
    parts = [list(chain.from_iterable(items[item] for item in part)) for part in divide(items, seed)]
    return ga.ItemTable.from_records(judgments), [ga.ItemTable.from_records(part) for part in parts]


judgments_of = st.integers(2, 5).flatmap(
    lambda coders: st.lists(
        st.lists(st.sampled_from((0, 1, 2, 3, None)), min_size=coders, max_size=coders), min_size=1, max_size=12
    )
)


@pytest.mark.parametrize("kind", LABELS)
@given(codes=judgments_of, seed=st.integers(0, 99))
def test_pooled_parts_of_random_tables_have_the_result_of_the_table(kind, codes, seed):
    labels = LABELS[kind]
    judgments = [
        (f"i{item}", f"c{coder}", None if code is None else labels[code])
        for item, row in enumerate(codes)
        for coder, code in enumerate(row)
    ]
    kinds = ["jackknife", "linearised", "bootstrap", "fce", "pairs"]
    check(*make_tables(judgments, seed), interval=kinds[seed % 5])


@pytest.mark.parametrize(
    ("distance", "missing"),
    [("nominal", None), ("ordinal", "IL"), ("interval", "VL"), ("ratio", "PL"), ("gwet-ordinal", "RM")],
)
def test_pooled_parts_of_sleep_epochs_have_the_result_of_the_table(distance, missing):
    epochs = ga.read_items(CORPORA / "items" / "dreem_dodh_epochs.parquet")
    rows = [
        [None if code < 0 or (item + coder) % 11 == 0 else code for coder, code in enumerate(row)]
        for item, row in enumerate(epochs.codes[:300].tolist())
    ]
    options = {"categories": range(epochs.n_categories), "coders": epochs.coders}
    parts = [ga.ItemTable.from_matrix(part, **options) for part in divide(rows, 5)]
    result = check(
        ga.ItemTable.from_matrix(rows, **options), parts, distance=distance, missing=missing, interval="jackknife"
    )
    assert json.loads(result)["table"]["items"] == 300


def test_tables_with_more_coders_than_a_key_holds_are_pooled():
    draw = random.Random(8)  # noqa: S311  (no secret)
    judgments = [
        (f"i{item}", f"c{coder}", draw.choice("abc" if item % 3 else "a"))
        for item in range(60)
        for coder in draw.sample(range(70), draw.randint(0, 7))
    ]
    for interval in ("jackknife", "bootstrap"):
        check(*make_tables(judgments, 4), interval=interval, replicates=50)


def test_tables_of_counts_with_unjudged_items_are_pooled():
    counts = [[3, 0], [1, 2], [0, 1], [0, 0], [2, 2], [3, 9]]
    parts = [ga.ItemTable.from_counts(part, ["x", "y"]) for part in divide(counts, 1)]
    result = check(ga.ItemTable.from_counts(counts, ["x", "y"]), parts, interval="jackknife")
    assert "1 of 6 items have no judgment" in result


def test_rows_are_pooled_with_the_expected_disagreement_of_another_table():
    judgments = [(f"i{item}", coder, (item * step) % 4) for item in range(20) for coder, step in (("a", 1), ("b", 3))]
    table, parts = make_tables(judgments[:16], 2)
    names = [name for name in ALL if name != "kappa-mean"]
    all_items = ga.ItemTable.from_records(judgments)
    check(table, parts, coefficients=names, expected_from=all_items, distance="ordinal", interval="jackknife")
    item_settings = ga.ItemSettings.of(["alpha"], expected_from=all_items)
    rows = [ga.document_statistics(part, item_settings) for part in parts]
    with pytest.raises(SettingsError, match=r"rows were made with other settings, or by another version \('i\d"):
        ga.pool(rows, ga.ItemSettings.of(["alpha"]))


def test_rows_can_be_pooled_with_different_settings():
    table, parts = make_tables([("1", "a", 1), ("1", "b", 2), ("2", "a", 2), ("2", "b", 2), ("3", "a", 4)], 3)
    rows = [ga.document_statistics(part, ga.ItemSettings.of(["s"])) for part in parts]
    item_settings = ga.ItemSettings.of(
        ["alpha", "kappa"], distance="ordinal", interval="bootstrap", seed=4, replicates=30
    )
    expected = ga.item_agreement(
        table, coefficients=["alpha", "kappa"], distance="ordinal", interval="bootstrap", seed=4, replicates=30
    )
    assert ga.pool(rows, item_settings) == expected


SETTINGS = ga.ItemSettings.of(["alpha"])


def rows_of(*judgments, **options):
    return ga.document_statistics(ga.ItemTable.from_records(judgments, **options), SETTINGS)


NUMBERS = rows_of(("1", "ann", 1), ("1", "bob", 2))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], "there are no rows to pool"),
        ([NUMBERS, rows_of(("1", "cy", 1))], "items are in several rows: '1'; keep one row of each"),
        ([NUMBERS, rows_of(("2", "ann", "x"))], "are numbers, and those of others are text; use one kind"),
        (
            [NUMBERS, rows_of(("2", "ann", 1), categories=[1, 2])],
            "of only some parts are declared; declare them for all",
        ),
        (
            [rows_of((item, "ann", 1), categories=labels) for item, labels in (("1", [1, 2]), ("2", [2, 1]))],
            r"different categories are declared: \(1, 2\) and \(2, 1\); declare the same ones",
        ),
        (
            [NUMBERS, ga.document_statistics(ga.ItemTable.from_counts([[2, 1]], [1, 2]), SETTINGS)],
            "some rows are from tables of counts, which do not name the coder of a judgment",
        ),
        (
            [ga.document_statistics([("d", "ann", 0, 1, "x"), ("d", "bob", 0, 1, "x")], ga.UnitizingSettings())],
            "these settings are for ItemRows, not for UnitizingRows",
        ),
    ],
)
def test_incompatible_rows_are_refused(parts, message):
    with pytest.raises(InputError, match=message):
        ga.pool(parts, SETTINGS)


def test_items_and_units_need_their_own_settings():
    table = ga.ItemTable.from_matrix([["a", "b"]])
    with pytest.raises(InputError, match=r"need units, not a table of items; measure it with ga\.ItemSettings"):
        ga.document_statistics(table, ga.UnitizingSettings())
    with pytest.raises(
        InputError, match=r"need an ItemTable, not a list of tuple; build one with ga\.ItemTable\.from_frame"
    ):
        ga.document_statistics([("1", "ann", "x")], SETTINGS)
