"""The pictures of errors on the pages that compare measures: their numbers, files and pages belong together."""

import sys

import pytest
from places import ROOT

sys.path.insert(0, str(ROOT / "docs" / "pictures"))
errors = pytest.importorskip("errors", reason="needs matplotlib")

PAGES = {page.stem: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "choose").glob("*.md")}
STORED = errors.stored()
CHEAP = ("u-alpha", "bar-u-alpha", "cu-alpha", "atoms:alpha", "atoms:ac1", "strict_f1", "type_f1")


def stored_at(kind, magnitude, measures):
    means = {mean.measure: mean for mean in STORED if (mean.kind, mean.magnitude) == (kind, magnitude)}
    return [means[measure] for measure in measures]


def test_each_measure_has_a_value_for_each_kind_and_magnitude_of_errors():
    measures = (*errors.LABELS, *errors.MODEL_LABELS)
    expected = [(kind, measure, m) for kind in errors.KINDS for measure in measures for m in errors.MAGNITUDES]
    assert sorted(mean[:3] for mean in STORED) == sorted(expected)


def test_each_picture_is_on_a_page_and_has_its_files():
    for name in errors.PICTURES:
        assert sum(f"(../pictures/{name}.svg)" in text for text in PAGES.values()) == 1, name
        assert (errors.FOLDER / f"{name}.svg").is_file()
        assert (errors.FOLDER / f"{name}_dark.svg").is_file()


def test_pictures_show_all_measures(tmp_path):
    errors.draw(STORED, tmp_path)
    assert {path.stem.removesuffix("_dark") for path in tmp_path.iterdir()} == set(errors.PICTURES)
    drawn = (tmp_path / "errors_unitizing_alpha.svg").read_text(encoding="utf-8")
    assert all(f">{text}<" in drawn for text in ("uα", "|uα", "cuα", *errors.KINDS.values()))


def test_the_table_has_the_values_at_half_the_magnitude(tmp_path, monkeypatch):
    monkeypatch.setattr(errors, "VALUES", tmp_path / "values.csv")
    monkeypatch.setattr(errors, "HALF_WAY", tmp_path / "half.csv")
    errors.write(STORED)
    assert (tmp_path / "values.csv").read_bytes() == (errors.FOLDER / "errors.csv").read_bytes()
    assert (tmp_path / "half.csv").read_bytes() == (errors.FOLDER / "errors_half.csv").read_bytes()


def test_measuring_again_gives_the_stored_values():
    assert errors.measured("category", (0.5,), CHEAP) == stored_at("category", 0.5, CHEAP)


@pytest.mark.release
@pytest.mark.parametrize("kind", errors.KINDS)
def test_measuring_all_again_gives_the_stored_values(kind):
    assert errors.measured(kind, (0.5,)) == stored_at(kind, 0.5, errors.LABELS)
    assert errors.measured_model(kind, (0.5,)) == stored_at(kind, 0.5, errors.MODEL_LABELS)
