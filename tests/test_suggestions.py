"""The error for a misspelt name, setting or value suggests the right one."""

from __future__ import annotations

import pytest

import gamma_align as ga

UNITS = [("a", 0, 4, "x"), ("b", 1, 5, "x")]
ITEMS = ga.ItemTable.from_matrix([["a", "b"], ["a", "a"]])


def test_a_misspelt_public_name_has_a_suggestion():
    with pytest.raises(AttributeError, match=r"^module 'gamma_align' has no attribute 'gama'; did you mean gamma\?$"):
        ga.gama  # noqa: B018
    assert not hasattr(ga, "__wrapped__")
    assert {"gamma", "distances", "align"} <= set(dir(ga))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda: ga.krippendorff_alpha(ITEMS, distanc="x"), "no setting 'distanc'; did you mean distance"),
        (lambda: ga.ItemSettings.of(["kappa"], replicate=3), "no setting 'replicate'; did you mean replicates"),
        (lambda: ga.compare(ITEMS, ITEMS, mising="IL"), "no setting 'mising'; did you mean missing"),
        (lambda: ga.compare(UNITS, UNITS, replicate=3), "no setting 'replicate'; did you mean replicates"),
        (lambda: ga.krippendorff_alpha(ITEMS, distance="nominl"), "did you mean nominal"),
        (lambda: ga.item_coefficient(ITEMS, "kapa"), "'kapa'; .* did you mean kappa"),
        (lambda: ga.evaluate(UNITS, reference="a", measures="gama"), "'gama'.*; did you mean gamma"),
        (lambda: ga.compare(UNITS, UNITS, measure="gama"), "'gama'.*; did you mean gamma"),
    ],
)
def test_a_misspelt_setting_or_value_has_a_suggestion(measure, message):
    with pytest.raises(ga.SettingsError, match=message):
        measure()
