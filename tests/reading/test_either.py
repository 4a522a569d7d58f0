"""A table of items given to a measure of units: the message names both ways to go on."""

import json
import re

import pytest

import gamma_align as ga

ROWS = ["item,ann,bob", *(f"{item},{first},{second}" for item, (first, second) in enumerate(["AA", "AB", "BB"] * 4))]


def test_a_table_of_items_is_named_where_units_are_needed(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(ROWS) + "\n")
    with pytest.raises(ga.InputError) as caught:
        ga.gamma(path)
    assert "ga.read_items reads 12 items that 'ann', 'bob' judge" in str(caught.value)
    assert "columns=" in str(caught.value)  # if they are units after all


def test_a_table_of_neither_has_the_cure_for_units_alone(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("V1,V2,V3,V4\nmira,1,4,A\njonas,1,4,A\nmira,6,9,A\njonas,6,9,A\n")
    with pytest.raises(ga.InputError) as caught:
        ga.gamma(path)
    assert "read_items" not in str(caught.value)
    assert "columns=" in str(caught.value)


def test_numbered_items_are_also_periods_and_the_map_in_the_message_reads_them(tmp_path):
    path = tmp_path / "nights.csv"
    rows = [f"{night},{epoch},{a},{b}" for night in "12" for epoch, (a, b) in enumerate(["WW", "WN", "NN"] * 4, 1)]
    path.write_text("\n".join(["night,epoch,ann,bob", *rows]) + "\n")
    with pytest.raises(ga.InputError) as caught:
        ga.gamma(path)
    assert "reads 24 items" in str(caught.value)
    columns = json.loads(re.search(r"map='(.*?)'", str(caught.value))[1])
    corpus = ga.read(path, map=columns)
    assert (corpus.documents, corpus.annotators) == (("1", "2"), ("ann", "bob"))
    assert corpus.n_units == 2 * (2 * 8)
