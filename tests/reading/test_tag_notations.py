"""Tags of tokens in other notations than B-PER: in columns, in lists, and as categories of rows of single tokens."""

from __future__ import annotations

import json

import pytest

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.reading.marks.notations import notation_of, notation_of_labels

UNITS = [(0, 2, "PER"), (2, 3, "PER"), (4, 5, "LOC"), (6, 9, "LOC")]
"""Units of ten tokens, of which two meet."""

NOTATIONS = {
    "PER-B": "{1}-{0}",
    "PER_I": "{1}_{0}",
    "B:PER": "{0}:{1}",
    "PER:B": "{1}:{0}",
    "PER/B": "{1}/{0}",
    "B.PER": "{0}.{1}",
    "BPER": "{0}{1}",
    "PERB": "{1}{0}",
    "__label__B-PER": "__label__{0}-{1}",
    "__label__PER-B": "__label__{1}-{0}",
    "<B-PER>": "<{0}-{1}>",
}
WORDS = {"B": "BEGIN", "I": "INSIDE", "E": "END", "S": "SINGLE"}


def places(units, *, single, last):
    """Return the letter and category of each of ten tokens; `single` and `last` are the letters of BIOES or BIO."""
    tags = [("O", "")] * 10
    for start, end, category in units:
        for token in range(start, end):
            letter = "B" if token == start else "I"
            if token == end - 1:
                letter = single if end - start == 1 else last
            tags[token] = (letter, category)
    return tags


def column(units, notation, *, single="B", last="I"):
    """Return the tags of ten tokens in a notation; outside tags are wrapped as the others are."""
    outside = notation.replace("{0}-{1}", "O").replace("{1}-{0}", "O") if "__" in notation or "<" in notation else "O"
    return [
        outside if letter == "O" else notation.format(letter, category)
        for letter, category in places(units, single=single, last=last)
    ]


def conll(folder, columns):
    """Write a file for each annotator."""
    for name, tags in columns.items():
        path = folder / name / "d.conll"
        path.parent.mkdir(parents=True)
        path.write_text("".join(f"token{at}\t{tag}\n" for at, tag in enumerate(tags)), encoding="utf-8")
    return folder


def found(corpus, annotator):
    return sorted((unit.start, unit.end, unit.category) for unit in corpus["d"].units() if unit.annotator == annotator)


@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)
@pytest.mark.parametrize(("single", "last"), [("B", "I"), ("S", "E"), ("U", "L")], ids=["bio", "bioes", "bilou"])
def test_columns_of_tags_are_read_in_each_notation(tmp_path, notation, single, last):
    other = [(0, 2, "PER"), (4, 6, "LOC"), (6, 9, "LOC")]
    tags = {
        "ann": column(UNITS, notation, single=single, last=last),
        "ben": column(other, notation, single=single, last=last),
    }
    corpus = ga.read(conll(tmp_path / "x", tags))
    assert found(corpus, "ann") == UNITS
    assert found(corpus, "ben") == other


@pytest.mark.parametrize("notation", ["{0}-{1}", "{0}_{1}", "{1}-{0}"])
def test_letters_may_be_small_or_words(tmp_path, notation):
    small = [tag.lower() for tag in column(UNITS, notation)]
    words = [
        "OUT" if letter == "O" else notation.format(WORDS[letter], category)
        for letter, category in places(UNITS, single="B", last="I")
    ]
    corpus = ga.read(conll(tmp_path / "x", {"ann": small, "ben": words}))
    assert found(corpus, "ann") == [(start, end, category.lower()) for start, end, category in UNITS]
    assert found(corpus, "ben") == UNITS


@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)
def test_tags_in_lists_are_read_in_each_notation(tmp_path, notation):
    path = tmp_path / "d.jsonl"
    records = [
        {"id": "d", "annotator": name, "tokens": [f"t{at}" for at in range(10)], "ner_tags": column(units, notation)}
        for name, units in (("ann", UNITS), ("ben", UNITS[1:3]))
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    corpus = ga.read(path)
    assert found(corpus, "ann") == UNITS
    assert found(corpus, "ben") == UNITS[1:3]


def test_a_note_names_the_notation(tmp_path):
    corpus = ga.read(conll(tmp_path / "x", {"ann": column(UNITS, "{1}-{0}"), "ben": column(UNITS, "{1}-{0}")}))
    assert any("'<category>-B'" in note for note in corpus.notes)


@pytest.mark.parametrize(
    "tags",
    [
        ("PER", "LOC", "O"),
        ("B-PER", "I-PER", "O"),
        ("O", "vitamin-B", "O", "vitamin-E"),
        ("O", "E_mail", "per"),
        ("O", "start-up", "O"),
        ("O", "BUS", "O", "BIKE"),
        ("in", "a", "B", "house", "of", "straw"),
    ],
)
def test_other_columns_have_no_notation(tags):
    assert notation_of(tags) is None


def test_categories_alone_are_not_taken_apart(tmp_path):
    tags = ["BUS", "BUS", "O", "ICE", "O", "BIKE", "O", "O", "O", "O"]
    corpus = ga.read(conll(tmp_path / "x", {"ann": tags, "ben": tags}))
    assert found(corpus, "ann") == [(0, 2, "BUS"), (3, 4, "ICE"), (5, 6, "BIKE")]


def test_a_category_among_tags_is_refused_with_its_line(tmp_path):
    tags = column(UNITS, "{1}-{0}")
    tags[3] = "MISC"
    with pytest.raises(InputError, match=r"ann.d\.conll, line 4: 'MISC' is no tag"):
        ga.read(conll(tmp_path / "x", {"ann": tags, "ben": column(UNITS, "{1}-{0}")}))


@pytest.mark.parametrize("lone", [[(1, 2, "PER"), (4, 5, "LOC")], [(1, 2, "ORG")]])
def test_a_file_of_beginnings_alone_is_refused_and_the_cure_reads_it(tmp_path, lone):
    path = conll(tmp_path / "x", {"ann": column(UNITS, "{0}{1}"), "ben": column(lone, "{0}{1}")})
    with pytest.raises(InputError, match=r"ben.d\.conll: the category '\w+' is a tag of tokens") as raised:
        ga.read(path)
    assert "'scheme': 'iob2'" in str(raised.value)
    corpus = ga.read(path, options={"scheme": "iob2"})
    assert found(corpus, "ann") == UNITS
    assert found(corpus, "ben") == lone


def test_inside_tags_that_follow_nothing_are_refused_and_the_cure_reads_them(tmp_path):
    path = conll(tmp_path / "x", {"ann": ["O", "IPER", "BPER", "O", "IPER"], "ben": ["O", "IPER", "O", "O", "IPER"]})
    with pytest.raises(InputError, match=r"'BPER', 'IPER'.*'scheme': 'iob1'"):
        ga.read(path)
    corpus = ga.read(path, options={"scheme": "iob1"})
    assert found(corpus, "ann") == [(1, 2, "PER"), (2, 3, "PER"), (4, 5, "PER")]
    assert ga.read(path, labels=["IPER", "BPER"]).categories == ("BPER", "IPER")


# --- rows of tokens ----------------------------------------------------------------------------------------

TEXT = "Ada Lovelace met Bo in New York"
ROWS = {
    "ann": [
        (0, 3, "B-PER"),
        (4, 8, "I-PER"),
        (8, 12, "I-PER"),
        (17, 19, "B-PER"),
        (23, 26, "B-LOC"),
        (27, 31, "I-LOC"),
    ],
    "ben": [(0, 3, "B-PER"), (4, 12, "I-PER"), (17, 19, "B-PER")],
}
JOINED = {"ann": [(0, 12, "PER"), (17, 19, "PER"), (23, 31, "LOC")], "ben": [(0, 12, "PER"), (17, 19, "PER")]}


def token_rows(rows):
    return [
        {"document": "d", "annotator": name, "entity": tag, "start": start, "end": end}
        for name, tags in rows.items()
        for start, end, tag in tags
    ]


def saved(folder, records, name="d.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("notation", ["{0}-{1}", "{1}-{0}", "{0}{1}", "{0}:{1}"])
def test_rows_of_tokens_are_joined_in_any_order(tmp_path, notation):
    rows = {
        name: [(start, end, notation.format(*tag.split("-"))) for start, end, tag in tags]
        for name, tags in ROWS.items()
    }
    records = token_rows(rows)
    corpus = ga.read(saved(tmp_path, records[::2][::-1] + records[1::2]))
    assert {name: found(corpus, name) for name in ROWS} == JOINED
    assert any("9 rows are joined to 5 units" in note for note in corpus.notes)


@pytest.mark.parametrize("notation", ["{0}-{1}", "{1}-{0}", "{0}{1}", "{0}:{1}"])
def test_rows_of_a_table_are_refused_and_the_cure_reads_them(tmp_path, notation):
    path = tmp_path / "d.csv"
    tags = {tag: notation.format(*tag.split("-")) for tags in ROWS.values() for *_, tag in tags}
    path.write_text(
        "document,annotator,start,end,entity\n"
        + "".join(f"d,{name},{start},{end},{tags[tag]}\n" for name, rows in ROWS.items() for start, end, tag in rows),
        encoding="utf-8",
    )
    labels = sorted(tags.values())
    with pytest.raises(InputError, match="the categories are tags of tokens") as raised:
        ga.read(path)
    assert f"labels={labels}" in str(raised.value)
    assert len(found(ga.read(path, labels=labels), "ann")) == len(ROWS["ann"])


def test_a_text_between_two_tokens_ends_the_unit(tmp_path):
    records = [
        {
            "id": "d",
            "annotator": name,
            "text": TEXT,
            "entities": [dict(zip(("start", "end", "entity"), row, strict=True)) for row in rows],
        }
        for name, rows in {**ROWS, "cyd": [(0, 3, "B-PER"), (17, 19, "I-PER")]}.items()
    ]
    corpus = ga.read(saved(tmp_path, records))
    assert {name: found(corpus, name) for name in ROWS} == JOINED
    assert found(corpus, "cyd") == [(0, 3, "PER"), (17, 19, "PER")]


def test_tokens_that_may_be_apart_are_refused_and_the_cure_reads_them(tmp_path):
    path = saved(tmp_path, token_rows({"ann": [(0, 3, "B-PER"), (17, 19, "I-PER")], "ben": [(0, 3, "B-PER")]}))
    with pytest.raises(InputError, match=r"line 2: the tag 'I-PER'.*labels=\['B-PER', 'I-PER'\]"):
        ga.read(path)
    assert found(ga.read(path, labels=["B-PER", "I-PER"]), "ann") == [(0, 3, "B-PER"), (17, 19, "I-PER")]


@pytest.mark.parametrize(
    "labels", [("rain", "brain"), ("B-cell", "T-cell"), ("start-verse", "middle-verse"), ("BUS", "ICE"), ("", "O")]
)
def test_other_labels_are_no_tags(labels):
    assert notation_of_labels(labels) is None
