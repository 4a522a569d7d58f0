"""A table of items given to a measure of units: the message names both ways to go on."""

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
