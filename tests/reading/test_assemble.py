"""From the marks of files to a corpus: layers, categories, parts, extents, independence of the order."""

from __future__ import annotations

import math
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from gamma_align.errors import InputError
from gamma_align.reading.files.sources import Source
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.marks.assemble import assemble_corpus
from gamma_align.reading.marks.choices import choices
from gamma_align.reading.marks.gather import gather_units, read_marks
from gamma_align.reading.marks.marks import Marks
from gamma_align.reading.places import layout
from gamma_align.reading.places.layout import Placed


def saying(*units, file="a.x", **settings):
    """Return marks of units (document, annotator, layer, start, end, category[, part])."""
    marks = Marks(file, **settings)
    for line, (document, annotator, layer, start, end, category, *part) in enumerate(units, 1):
        marks.unit(
            start,
            end,
            category,
            location=line,
            document=document,
            annotator=annotator,
            layer=layer,
            part=part[0] if part else None,
        )
    return marks


def corpus_of(*marks, **settings):
    marked = [
        (Placed(Source(Path(its.file), its.file), {"document": its.file, "annotator": "?"}), its) for its in marks
    ]
    return assemble_corpus(marked, choices(**settings), location="here")


def checked(marks):
    """Return what a format says that reads these marks from its files."""
    fmt = FileFormat("x", "x", (".x",), lambda _: False, lambda *_: [marks])
    return read_marks(layout.Layout(fmt, ()), Placed(Source(Path("a.x"), "a.x"), {}), choices())


def units_of(corpus):
    return [
        (continuum.document, unit.annotator, unit.start, unit.end, unit.category)
        for continuum in map(corpus.continuum, range(len(corpus)))
        for unit in continuum.units()
    ]


def same(one, other):
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(one)
        if field.name != "notes"
    )


# ---------------------------------------------------------------------------------------------- what one file says


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, 2**53 + 1, "3", None, True, [3], b"3"])
def test_invalid_bounds_are_problems_with_their_line(value):
    marks = Marks("a.x", length_unit="s")
    marks.unit(0, value, "x", location=7)
    marks.unit(value, 9, "x", location="task 8")
    message = [re.sub("is .*, not", "is …, not", str(problem)) for problem in marks.problems]
    assert message == [
        "a.x, line 7: the end of the unit is …, not a finite number",
        "a.x, task 8: the start of the unit is …, not a finite number",
    ]
    assert max(len(str(problem)) for problem in marks.problems) < 130
    assert len(marks) == 0


@pytest.mark.parametrize(("length_unit", "counted"), [("char", "characters"), ("token", "tokens")])
@pytest.mark.parametrize("value", [-1, 0.5, 1e300, -0.5])
def test_characters_and_tokens_are_counted(length_unit, counted, value):
    marks = Marks("a.x", length_unit=length_unit)
    marks.unit(value, 10**15, "x", location=7)
    assert f"line 7: the start of the unit is {value:.15g}, but {counted} are counted 0, 1, 2, …" in str(
        marks.problems[0]
    )


@pytest.mark.parametrize("value", [3, 3.0, np.float64(3)])
def test_numbers_of_any_kind_are_numbers(value):
    marks = saying(("d", "a", None, value, value, "x"))
    assert (marks.start[0], marks.end[0]) == (3.0, 3.0)


def test_minus_zero_becomes_zero():
    marks = saying(("d", "a", None, -0.0, 1.0, "x"), length_unit="s")
    assert math.copysign(1, marks.start[0]) == 1


def test_a_unit_that_ends_before_it_starts_is_a_problem():
    marks = saying(("d", "a", None, 3, 1, "x"))
    assert str(marks.problems[0]).startswith("a.x, line 1: the unit ends at 1, before its start 3; ")


@pytest.mark.parametrize("at", range(4))
def test_half_a_character_in_a_name_is_a_problem(at):
    names = ["d", "a", "layer", "category"]
    names[at] = "x\ud83d"
    marks = saying((names[0], names[1], names[2], 0, 1, names[3]))
    assert "'x\\ud83d' has half a character in it" in str(marks.problems[0])


def test_half_a_character_in_a_text_is_a_problem():
    marks = saying(("d", "a", None, 0, 1, "x"))
    marks.texts["d", None] = "ok \udc00"
    (actual,) = checked(marks)
    assert "character 3 of the text of 'd' is half a character" in str(actual.problems[0])


def test_first_problem_is_raised_and_the_others_counted():
    marks = saying(("d", "a", None, 3, 1, "x"), ("d", "a", None, 4, 1, "x"), ("d", "a", None, 1, 4, "x"))
    with pytest.raises(InputError, match=r"^a\.x, line 1: .*\(1 more; ga.validate lists them all\)$"):
        corpus_of(marks)


def test_annotators_without_units_are_kept():
    marks = saying(("d", "a", None, 0, 1, "x"))
    marks.annotated("d", "b")
    marks.annotated("e", "b")
    corpus = corpus_of(marks)
    assert corpus.documents == ("d", "e")
    assert [corpus.annotators[code] for code in corpus.seen] == ["a", "b", "b"]


def test_messages_shorten_long_quotes():
    long = "x" * 10**6
    marks = saying(("d", "a", None, 3, 1, "x"))
    marks.problem(1, f"{long}; delete it")
    assert len(str(marks.problems[1])) < 4100
    assert str(marks.problems[1]).endswith("x; delete it")
    with pytest.raises(
        InputError, match=r"^labels: no unit has the category 'y'; there are 'x+ \[… .* …\] x+'$"
    ) as error:
        corpus_of(saying(("d", "a", None, 0, 1, long)), labels="y")
    assert len(str(error.value)) < 4100


# --------------------------------------------------------------------------------------------------------- layers

LAYERED = [("d", "a", "custom.Entity", 0, 4, "x"), ("d", "a", "Other", 5, 9, "y"), ("d", "b", "Other", 5, 8, "y")]


def test_several_layers_need_a_selection():
    with pytest.raises(
        InputError, match=r"^here: units in 2 layers: Other \(2 units\), custom\.Entity \(1 units\); .*layers="
    ):
        corpus_of(saying(*LAYERED))


def test_layers_without_units_are_ignored_and_blank_names_quoted():
    marks = saying(("d", "a", "", 0, 4, "x"), ("d", "a", "Other", 5, 9, "y"))
    marks.annotated(document="d", annotator="a", layer="Empty")
    with pytest.raises(InputError, match=r"^here: units in 2 layers: '' \(1 units\), Other \(1 units\); choose"):
        corpus_of(marks)


def test_unknown_layer_is_refused_with_the_known_layers():
    with pytest.raises(InputError, match=r"^here: no layer 'Entitis'; there are Other \(2 units\), custom\.Entity"):
        corpus_of(saying(*LAYERED), layers="Entitis")
    with pytest.raises(InputError, match=r"^here: no layer 'x'; there are none"):
        corpus_of(saying(("d", "a", None, 0, 1, "x")), layers="x")


@pytest.mark.parametrize("name", ["Entity", "custom.Entity"])
def test_annotators_without_units_in_the_selected_layer_are_kept(name):
    corpus = corpus_of(saying(*LAYERED), layers=name)
    assert units_of(corpus) == [("d", "a", 0, 4, "x")]
    assert corpus.annotators == ("a", "b")


@pytest.mark.parametrize("layers", ["*", ["Entity", "Other"]])
def test_several_layers_are_read_on_request(layers):
    assert len(units_of(corpus_of(saying(*LAYERED), layers=layers))) == 3


def test_a_short_name_of_two_layers_is_refused():
    marks = saying(("d", "a", "one.Entity", 0, 4, "x"), ("d", "a", "other.Entity", 0, 4, "x"))
    with pytest.raises(InputError, match=r"layer 'Entity' is one\.Entity and other\.Entity; give its full name"):
        corpus_of(marks, layers="Entity")


def test_one_layer_with_units_is_read_without_being_named():
    marks = saying(("d", "a", "full", 0, 4, "x"))
    marks.annotated("d", "a", "void")
    assert units_of(corpus_of(marks)) == [("d", "a", 0, 4, "x")]


def test_layers_are_annotators_on_request():
    marks = saying(("d", None, "anna", 0, 4, "x"), ("d", None, "bert", 0, 4, "x"))
    marks.annotated("d", None, "zoë")
    assert corpus_of(marks, annotator="{layer}").annotators == ("anna", "bert", "zoë")
    assert corpus_of(marks, annotator="{layer}", layers=["anna", "zoë"]).annotators == ("anna", "zoë")


def test_layers_of_one_annotator_may_come_from_several_files():
    one = saying(("d", "a", "words", 0, 4, "x"), file="words.x")
    other = saying(("d", "a", "phones", 0, 2, "y"), file="phones.x")
    assert len(units_of(corpus_of(one, other, layers="*"))) == 2


def test_files_of_the_layers_of_one_annotator_have_one_text():
    one = saying(("d", "a", "words", 0, 4, "x"), file="words.x")
    other = saying(("d", "a", "phones", 0, 2, "y"), file="phones.x")
    other.texts["d", None] = "Rome"
    corpus = corpus_of(one, other, layers="*")
    assert corpus.texts == ("Rome",)
    one.texts["d", None] = "Roma"
    with pytest.raises(InputError, match=r"^document 'd': the texts of 'a' differ: from character 3 on, .*'words\.x'"):
        corpus_of(one, other, layers="*")


def test_a_layer_of_one_annotator_may_not_come_from_two_files():
    one, other = (saying(("d", "a", "words", 0, 4, "x"), file=file) for file in ("one.x", "other.x"))
    with pytest.raises(InputError, match=r"^other\.x: annotator 'a' has marked document 'd' in one\.x too"):
        corpus_of(one, other)


def test_two_annotators_of_a_file_are_not_merged():
    with pytest.raises(
        InputError, match=r"^a\.x: annotators 'a' and 'b' would both be annotator 'all' of document 'd'"
    ):
        corpus_of(saying(("d", "a", None, 0, 4, "x"), ("d", "b", None, 0, 4, "x")), annotator="all")


# ----------------------------------------------------------------------------------------------------- categories

LABELLED = [("d", "a", None, at, at + 1, label) for at, label in enumerate(["x", "y", "z", None])]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (None, ["x", "y", "z", None]),
        ({}, ["x", "y", "z", None]),
        ("x", ["x"]),
        (["x", "z"], ["x", "z"]),
        ({"x": "y"}, ["y", "y", "z", None]),
        ({"x": None}, ["y", "z", None]),
        ({"x": "y", "*": None}, ["y"]),
        ({"x": None, "*": "all"}, ["all", "all", "all"]),
        ({"*": "all"}, ["all"] * 4),
        ({"x": "y", "y": "x"}, ["y", "x", "z", None]),
        ({"*": None}, []),
    ],
)
def test_categories_are_selected_and_renamed(labels, expected):
    corpus = corpus_of(saying(*LABELLED), labels=labels)
    assert [unit[-1] for unit in units_of(corpus)] == expected
    assert corpus.annotators == ("a",)
    left_out = len(LABELLED) - len(expected)
    message = (f"{left_out} units of categories that were not requested are left out",) if left_out else ()
    assert corpus.notes == message


def test_unknown_category_is_refused_with_the_known_categories():
    with pytest.raises(InputError, match=r"no unit has the category 'X'; there are 'None', 'x', 'y', 'z'$"):
        corpus_of(saying(*LABELLED), labels="X")


# -------------------------------------------------------------------------------------------- discontinuous units

PARTS = [
    ("d", "a", None, 8, 9, "x", "T1"),
    ("d", "a", None, 3, 4, "y"),
    ("d", "a", None, 0, 2, "x", "T1"),
    ("d", "b", None, 5, 6, "x", "T1"),
]


def test_parts_are_read_as_one_unit_from_first_start_to_last_end():
    corpus = corpus_of(saying(*PARTS))
    assert units_of(corpus) == [("d", "a", 0, 9, "x"), ("d", "a", 3, 4, "y"), ("d", "b", 5, 6, "x")]
    assert corpus.notes == ("1 discontinuous units are read as one each, from first start to last end",)


def test_parts_are_read_as_units():
    corpus = corpus_of(saying(*PARTS), discontinuous="parts")
    assert [unit[2:4] for unit in units_of(corpus)] == [(0, 2), (3, 4), (8, 9), (5, 6)]
    assert corpus.notes == ()


def test_parts_are_refused_with_the_line():
    with pytest.raises(
        InputError, match=r"^a\.x, line 1: the unit has 2 parts \(1 such units\); .*discontinuous='whole'"
    ):
        corpus_of(saying(*PARTS), discontinuous="refuse")
    assert len(units_of(corpus_of(saying(*PARTS[1:]), discontinuous="refuse"))) == 3


def test_parts_of_one_name_are_apart_in_two_layers_and_two_files():
    one = saying(("d", "a", "one", 0, 1, "x", "T1"), ("d", "a", "two", 8, 9, "x", "T1"), file="one.x")
    other = saying(("e", "a", "one", 0, 1, "x", "T1"), file="other.x")
    assert len(units_of(corpus_of(one, other, layers="*"))) == 3


def test_parts_of_two_categories_are_refused():
    marks = saying(("d", "a", None, 0, 1, "x", "T1"), ("d", "a", None, 8, 9, "y", "T1"))
    with pytest.raises(InputError, match=r"^a\.x, line 2: the part of the unit has category 'y', its first part 'x'"):
        corpus_of(marks)
    assert units_of(corpus_of(marks, labels={"y": "x"})) == [("d", "a", 0, 9, "x")]


def test_dropped_parts_are_not_joined():
    marks = saying(("d", "a", None, 0, 1, "x", "T1"), ("d", "a", None, 8, 9, "y", "T1"))
    assert units_of(corpus_of(marks, labels="y")) == [("d", "a", 8, 9, "y")]


# --------------------------------------------------------------------------------------- extents and unit of length


def test_extent_contains_the_extents_of_all_files():
    one = saying(("d", "a", None, 1.0, 2.0, "x"), length_unit="s", file="one.x")
    other = saying(("d", "b", None, 1.0, 2.0, "x"), length_unit="s", file="other.x")
    one.extents["d"], other.extents["d"] = (0.5, 9.0), (1.0, 10.0)
    corpus = corpus_of(one, other)
    assert corpus.extents.tolist() == [[0.5, 10.0]]
    assert corpus.length_unit == "s"


def test_the_text_is_the_extent():
    marks = saying(("d", "a", None, 1, 2, "x"))
    marks.texts["d", None] = "Rome"
    corpus = corpus_of(marks)
    assert corpus.extents.tolist() == [[0, 4]]
    assert corpus.texts == ("Rome",)


def test_a_unit_past_the_end_is_refused_with_its_line():
    marks = saying(("d", "a", None, 1, 2, "x"), ("d", "a", None, 1, 5, "x"))
    marks.texts["d", None] = "Rome"
    with pytest.raises(InputError, match=r"a\.x, line 2: document 'd', annotator 'a', unit \[1, 5\], extent \[0, 4\]"):
        corpus_of(marks)


def test_files_that_count_differently_are_refused():
    one = saying(("d", "a", None, 1, 2, "x"), file="one.x")
    other = saying(("e", "a", None, 1, 2, "x"), file="other.x", length_unit="s")
    with pytest.raises(InputError, match=r"^here: files count in char \(one\.x\) and s \(other\.x\); read each kind"):
        corpus_of(one, other)


@pytest.mark.parametrize("bounds", [(math.nan, 1), (0, math.nan), (0, math.inf), (3, 1)])
def test_invalid_extents_are_problems_of_their_file(bounds):
    marks = saying(("d", "a", None, 1.0, 2.0, "x"), length_unit="s")
    marks.extents["d"] = bounds
    (actual,) = checked(marks)
    assert str(actual.problems[0]) == f"a.x: the extent of document 'd' is from {bounds[0]} to {bounds[1]}; correct it"


def test_annotators_with_other_tokens_are_refused():
    marks = saying(("d", "a", None, 0, 4, "x"), ("d", "b", None, 0, 4, "x"))
    marks.tokens["d", "a"] = [(0, 4), (5, 9)]
    marks.tokens["d", "b"] = [(0, 4)]
    with pytest.raises(InputError, match=r"^document 'd': .* 2 .* 1 .*tokens|token"):
        corpus_of(marks, positions="tokens")


def test_empty_data_are_refused():
    for marks in ((), (Marks("a.x"),)):
        with pytest.raises(InputError, match=r"^here: no annotations in it; there is nothing to measure$"):
            corpus_of(*marks)


# -------------------------------------------------------------------------------------------------- reproducibility


def test_the_order_of_files_and_rows_does_not_change_the_corpus():
    rng = np.random.default_rng(7)
    rows = [
        (f"d{document}", f"a{annotator}", "l", low, low + 2, "xyz"[label])
        for document, annotator, low, label in rng.integers((5, 3, 90, 3), size=(300, 4)).tolist()
    ]

    def read(seed):
        shuffled = [rows[at] for at in np.random.default_rng(seed).permutation(len(rows)).tolist()]
        files = [
            [row for row in shuffled if row[0] == document] for document in dict.fromkeys(row[0] for row in shuffled)
        ]
        marks = [saying(*its, file=f"{its[0][0]}.x") for its in files]
        for its in marks:
            its.extents[its.keys[0].document] = (0, 100)
        return corpus_of(*marks, labels={"z": "x"})

    first = read(0)
    assert all(same(first, read(seed)) for seed in range(1, 20))


def test_parts_are_joined_after_units_are_dropped():
    marks = [saying(*LABELLED, file="one.x"), saying(*[("e", *row[1:]) for row in LABELLED], file="other.x")]
    for its in marks:
        its.part = {index: f"part {index}" for index in (0, 1, 3)}
    marked = [(Placed(Source(Path(its.file), its.file), {}), its) for its in marks]
    units = gather_units(marked, choices(), "here")
    units.keep(np.array([1, 3, 4, 6]))
    parts = [(row, its.file, index, part) for row, its, index, part in units.with_value("part")]
    assert parts == [(0, "one.x", 1, "part 1"), (1, "one.x", 3, "part 3"), (2, "other.x", 0, "part 0")]
    assert str(units.location(3)) == "other.x, line 3"
