"""Maps of columns: what they may say, and that a file holds the same map."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.errors import SettingsError
from gamma_align.reading.intake.mapping import ColumnMap, Condition, EndOf, Joined, Part, Value, loaded, saved

NAMES = st.text(min_size=1, max_size=8)
REFERENCES = st.one_of(
    NAMES,
    st.builds(Value, NAMES),
    st.builds(Joined, st.lists(NAMES, min_size=1, max_size=3).map(tuple)),
    st.builds(Part, NAMES, st.sampled_from([0, 1])),
    st.builds(EndOf, NAMES, NAMES),
)
CONDITIONS = st.builds(Condition, NAMES, st.booleans(), st.one_of(st.none(), st.booleans(), st.integers(), NAMES))
MAPS = st.builds(
    lambda roles, optional, where, names, missing: ColumnMap(
        "row", {**roles, **optional}, where=where, names=names, missing=missing
    ),
    st.fixed_dictionaries({"start": REFERENCES, "end": REFERENCES}),
    st.dictionaries(st.sampled_from(["document", "annotator", "category", "quote", "text"]), REFERENCES),
    st.lists(CONDITIONS, max_size=2).map(tuple),
    st.dictionaries(st.just("category"), st.dictionaries(NAMES, NAMES, max_size=2), max_size=1),
    st.lists(NAMES, max_size=2).map(tuple),
)


@given(MAPS)
def test_a_file_holds_the_same_map(tmp_path_factory, mapping):
    path = tmp_path_factory.getbasetemp() / "map.json"
    path.write_text(saved(mapping), encoding="utf-8")
    assert loaded(path) == mapping
    assert loaded(mapping.to_json()) == mapping


def test_what_is_as_usual_is_left_out():
    document = {"form": "row", "roles": {"start": "a", "end": "b"}}
    assert ColumnMap.from_json(document).to_json() == document


WRONG = {
    "no form": {"roles": {}},
    "another form": {"form": "rows", "roles": {}},
    "an unknown key": {"form": "row", "roles": {"start": "a", "end": "b"}, "header": 3},
    "a missing role": {"form": "row", "roles": {"start": "a"}},
    "a role of another form": {"form": "row", "roles": {"start": "a", "end": "b", "tag": "c"}},
    "end and duration": {"form": "row", "roles": {"start": "a", "end": "b", "duration": "c"}},
    "no sets": {"form": "wide"},
    "sets and a role for one": {"form": "tags", "scheme": "B-X", "roles": {"tag": "t"}, "sets": {"x": {"tag": "t"}}},
    "annotators twice": {"form": "wide", "roles": {"annotator": "a"}, "sets": {"x": {"start": "s", "end": "e"}}},
    "a set without an end": {"form": "wide", "sets": {"x": {"start": "s"}}},
    "a modifier of another form": {"form": "row", "roles": {"start": "a", "end": "b"}, "scheme": "B-X"},
    "a scheme of no kind": {"form": "tags", "scheme": "IOB", "roles": {"tag": "t"}},
    "an unknown choice": {"form": "row", "roles": {"start": "a", "end": "b"}, "end": "last"},
    "a reference of no kind": {"form": "row", "roles": {"start": {"columns": "ab"}, "end": "b"}},
    "a part of three": {"form": "row", "roles": {"start": {"range": "a", "part": 2}, "end": "b"}},
    "a condition of two": {"form": "row", "roles": {"start": "a", "end": "b"}, "where": [["a", "is"]]},
    "an endless epoch": {"form": "epochs", "roles": {"category": "a"}, "epoch": 0},
    "a flag that is a text": {"form": "row", "roles": {"start": "a", "end": "b"}, "gaps": "yes"},
    "a header that is no line": {"form": "row", "roles": {"start": "a", "end": "b"}, "rows": {"header": 0}},
    "no object": ["row"],
}


@pytest.mark.parametrize("document", WRONG.values(), ids=WRONG)
def test_a_map_that_means_nothing_is_refused(document):
    with pytest.raises(SettingsError, match="map"):
        ColumnMap.from_json(document)


def test_a_file_that_is_no_json_is_named(tmp_path):
    path = tmp_path / "map.json"
    path.write_text("form: row")
    with pytest.raises(SettingsError, match=r"map\.json is no JSON"):
        loaded(path)
    with pytest.raises(SettingsError, match=r"absent\.json cannot be read"):
        loaded(tmp_path / "absent.json")
