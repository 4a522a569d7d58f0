"""Tables and records that nobody prepared for this program: what the first attempt read silently wrong, or asked."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from own_tables import ANNOTATORS, Truth, is_true, seconds, table

import gamma_align as ga
from gamma_align.errors import InputError

LABELS = ["PER", "LOC", "joy"]
CLUENER = {
    "jonas": {"Ort": {"Skagen": [[21, 26]]}, "Person": {"Tove Lind": [[0, 8]]}},
    "mira": {"Person": {"Tove Lind": [[0, 8]], "Ove": [[14, 16]]}},
}


def records(path, values):
    path.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")
    return path


def spans(truth, document, annotator):
    return [unit[2:] for unit in truth.units if unit[:2] == (document, annotator)]


def pairs(truth):
    return [(document, annotator) for document in truth.texts for annotator in ANNOTATORS]


@pytest.mark.parametrize("ends", ["end", "duration"])
@pytest.mark.parametrize("name", ["stance", "seizure_info", "Affekt"])
def test_a_column_that_may_be_the_category_is_never_left_out_silently(name, ends, tmp_path):
    truth = Truth(11)
    cells = [[*unit[:3], unit[3] - unit[2] * (ends == "duration"), unit[4]] for unit in truth.units]
    path = table(tmp_path / "x.csv", ["document", "annotator", "start", ends, name], cells)
    with pytest.raises(InputError, match=f"no column 'category', but '{name}' may be it"):
        ga.read(path)
    assert is_true(ga.read(path, columns={"category": name}), truth.units)
    assert not ga.read(path, columns={"category": None}).categories
    columns = dict(zip(["document", "annotator", "start", ends, name], zip(*cells, strict=True), strict=True))
    with pytest.raises(InputError, match=name):
        ga.Corpus.from_columns(units={key: [*values] for key, values in columns.items()})


def test_columns_that_say_something_else_need_no_question(tmp_path):
    truth = Truth(12)
    cells = [[*unit[:4], truth.random.choice(["ok", "check"]), n, "7"] for n, unit in enumerate(truth.units)]
    path = table(tmp_path / "x.csv", ["document", "annotator", "start", "end", "comment", "id", "n_tokens"], cells)
    assert not ga.read(path).categories


@pytest.mark.parametrize("names", [("Interview", "Auswerterin"), ("Nom du fichier", "Codeuse"), ("doc", "coder")])
def test_tags_with_columns_of_documents_and_annotators(names, tmp_path):
    truth = Truth(13)
    cells = []
    for document, who in pairs(truth):
        words = truth.texts[document].split()
        tags = ["O"] * len(words)
        for *_, first, last, category in (unit for unit in truth.tokens if unit[:2] == (document, who)):
            tags[first:last] = [f"B-{category}", *[f"I-{category}"] * (last - first - 1)]
        cells += [[document, who, *row] for row in zip(words, tags, strict=True)]
    assert is_true(ga.read(table(tmp_path / "x.csv", [*names, "token", "tag"], cells)), truth.tokens)


def test_the_category_stands_beside_a_list_of_numbers(tmp_path):
    truth = Truth(14)
    values = [
        {"doc": document, "annotator": who, "text": truth.texts[document], "marks": [
            {"offsets": [[start, end]], "type": label} for start, end, label in spans(truth, document, who)
        ]}
        for document, who in pairs(truth)
    ]  # fmt: skip
    assert is_true(ga.read(records(tmp_path / "x.jsonl", values)), truth.units)


@pytest.mark.parametrize("name", ["x.jsonl", "x.json"])  # many programs name lines of JSON .json
def test_keys_that_no_other_role_has_are_categories(name, tmp_path):
    truth = Truth(15)
    values = [
        {"doc": document, "coder": who, "marked": {
            label: [[start, end] for start, end, own in spans(truth, document, who) if own == label] for label in LABELS
        }}
        for document, who in pairs(truth)
    ]  # fmt: skip
    assert is_true(ga.read(records(tmp_path / name, values)), truth.units)


def test_keys_that_divide_the_units_are_asked_about(tmp_path):
    truth = Truth(16)
    values = [
        {"doc": document, "coder": who, "marked": {
            half: [
                {"start": start, "end": end, "label": label}
                for start, end, label in spans(truth, document, who)[part::2]
            ]
            for part, half in enumerate(["surely", "perhaps"])
        }}
        for document, who in pairs(truth)
    ]  # fmt: skip
    with pytest.raises(InputError, match="keys 'surely', 'perhaps' divide"):
        ga.read(records(tmp_path / "x.jsonl", values))


def test_a_category_of_whole_documents_is_not_taken_for_one_of_units_silently(tmp_path):
    truth = Truth(16)
    values = [
        {"doc": document, "coder": who, "label": truth.random.choice(["spam", "ham"]), "marks": [
            [start, end] for start, end, _ in spans(truth, document, who)
        ]}
        for document, who in pairs(truth)
    ]  # fmt: skip
    with pytest.raises(InputError, match="label"):
        ga.read(records(tmp_path / "x.jsonl", values))


def test_names_in_the_records_of_documents_and_annotators(tmp_path):
    truth = Truth(17)
    tree = {
        "coders": [
            {"name": who, "files": [
                {"title": document, "units": [
                    {"begin": start, "stop": end, "theme": label, "id": 7, "n_tokens": 2}
                    for start, end, label in spans(truth, document, who)
                ]}
                for document in truth.texts
            ]}
            for who in ANNOTATORS
        ]
    }  # fmt: skip
    (tmp_path / "x.json").write_text(json.dumps(tree), encoding="utf-8")
    assert is_true(ga.read(tmp_path / "x.json"), truth.units)


def test_a_document_that_its_text_tells_divides_the_units(tmp_path):
    truth = Truth(18)
    tree = [
        {"label": document, "text": text, "by": {who: spans(truth, document, who) for who in ANNOTATORS}}
        for document, text in truth.texts.items()
    ]
    (tmp_path / "x.json").write_text(json.dumps({"items": tree}), encoding="utf-8")
    assert is_true(ga.read(tmp_path / "x.json"), truth.units)


def test_annotators_whose_names_are_words_elsewhere(tmp_path):
    truth = Truth(19)
    names = dict(zip(ANNOTATORS, ["Till", "Mara", "Ab"], strict=True))
    values = [
        {"docid": document, "marks": {names[who]: spans(truth, document, who) for who in ANNOTATORS}}
        for document in truth.texts
    ]
    units = [(unit[0], names[unit[1]], *unit[2:]) for unit in truth.units]
    assert is_true(ga.read(records(tmp_path / "x.jsonl", values)), units)


@pytest.mark.parametrize(("name", "category"), [("Person", "Person"), ("spans", None)])
@pytest.mark.parametrize("file", ["x.jsonl", "x.json"])
def test_a_category_that_is_only_a_key(file, name, category, tmp_path):
    truth = Truth(19)
    values = [
        {name: {who: [unit[:2] for unit in spans(truth, document, who)] for who in ANNOTATORS}, "docid": document}
        for document in truth.texts
    ]
    assert is_true(ga.read(records(tmp_path / file, values)), [(*unit[:4], category) for unit in truth.units])


@pytest.mark.parametrize(
    "names",
    [
        ("Position de début", "Position de fin"),
        ("Posición inicial", "Posición final"),
        ("Posição inicial", "Posição final"),
        ("Начальная позиция", "Конечная позиция"),
        ("Beginpositie", "Eindpositie"),
        ("From sec", "To sec"),
    ],
)
def test_bounds_with_a_word_beside(names, tmp_path):
    truth = Truth(20)
    cells = [[*unit] for unit in truth.units]
    assert is_true(ga.read(table(tmp_path / "x.csv", ["Datei", "Kodierer", *names, "Code"], cells)), truth.units)


@pytest.mark.parametrize("names", [("From sec", "Length (s)"), ("Startzeit (s)", "Dauer in s")])
def test_seconds_in_other_words_are_one_unit_of_measure(names, tmp_path):
    truth = Truth(21)
    units = seconds(truth.units)
    cells = [[*unit[:3], round(unit[3] - unit[2], 6), unit[4]] for unit in units]
    assert is_true(ga.read(table(tmp_path / "x.csv", ["Datei", "Kodierer", *names, "Code"], cells)), units)


@pytest.mark.parametrize(
    ("time", "event", "kinds"),
    [("Zeit", "Ereignis", ("Anfang", "Ende")), ("temps", "événement", ("début", "fin"))],
)
def test_starts_and_stops_in_other_languages(time, event, kinds, tmp_path):
    truth = Truth(22)
    cells = [
        [*unit[:2], bound, unit[4], kind] for unit in truth.units for bound, kind in zip(unit[2:4], kinds, strict=True)
    ]
    path = table(tmp_path / "x.csv", ["Datei", "Kodierer", time, "Code", event], cells)
    assert is_true(ga.read(path), truth.units)


@pytest.mark.parametrize(
    "names", [("document", "annotator", "start", "end", "category"), ("Datei", "Kodierer", "Beginn", "Ende", "Code")]
)
@pytest.mark.parametrize("mark", [".", ","])
def test_marks_of_thousands_are_no_decimals(mark, names, tmp_path):
    truth = Truth(23)
    cells = [
        [*unit[:2], *(f"{7 * bound:,}".replace(",", mark) for bound in unit[2:4]), unit[4]] for unit in truth.units
    ]
    with pytest.raises(InputError, match="thousands"):
        ga.read(table(tmp_path / "x.csv", names, cells, ";"))


def test_milliseconds_are_no_thousands(tmp_path):
    truth = Truth(24)
    units = seconds(truth.units, 8)  # eighths have three decimals, two, one or none
    path = table(tmp_path / "x.csv", ["document", "annotator", "start", "end", "category"], units)
    assert is_true(ga.read(path), units)
    cells = [[*unit[:2], *(f"{bound:g}" for bound in unit[2:4]), unit[4]] for unit in units]
    assert is_true(ga.read(table(tmp_path / "y.csv", ["Datei", "Kodierer", "Beginn", "Ende", "Code"], cells)), units)


@pytest.mark.parametrize("name", ["{role} ({who})", "{who} {role}", "{role}_{who}", "{who}.{role}"])
def test_columns_of_each_annotator(name, tmp_path):
    truth = Truth(25)
    cells = []
    for document in truth.texts:
        own = [spans(truth, document, who) for who in ANNOTATORS]
        rows = itertools.zip_longest(*own, fillvalue=("", "", ""))
        cells += [[document, *itertools.chain.from_iterable(row)] for row in rows]
    header = [name.format(who=who, role=role) for who in ANNOTATORS for role in ("Beginn", "Ende", "Code")]
    assert is_true(ga.read(table(tmp_path / "x.csv", ["Datei", *header], cells)), truth.units)


def test_lists_of_tokens_are_no_bounds(tmp_path):
    truth = Truth(26)
    values = [
        {"file": document, "coder": who, "spans": [
            {"tokens": [*range(first, last)], "label": label}
            for *owner, first, last, label in truth.tokens if owner == [document, who]
        ]}
        for document, who in pairs(truth)
    ]  # fmt: skip
    with pytest.raises(InputError):
        ga.read(records(tmp_path / "x.jsonl", values))


@pytest.mark.parametrize(
    "names", [("document", "annotator", "start", "end", "category"), ("Datei", "Kodierer", "Beginn", "Ende", "Code")]
)
def test_minutes_and_seconds_with_a_point_are_asked_about(names, tmp_path):
    truth = Truth(27)
    cells = [
        [*unit[:2], *(f"{7 * bound // 60}.{7 * bound % 60:02}" for bound in unit[2:4]), unit[4]] for unit in truth.units
    ]
    path = table(tmp_path / "x.csv", names, cells)
    with pytest.raises(InputError, match=r"may be minutes and seconds.*map="):
        ga.read(path)
    mapping = {"form": "row", "roles": dict(zip(["document", "annotator", "start", "end"], names, strict=False))}
    assert ga.read(path, map=mapping).n_units == len(cells)


@pytest.mark.parametrize("names", [("document", "annotator", "start", "end"), ("Datei", "Coder", "Beginn", "Ende")])
@pytest.mark.parametrize("name", ["valence", "level", "Stufe", "intensity"])
def test_grades_may_be_the_category(name, names, tmp_path):
    truth = Truth(28)
    cells = [[*unit[:4], 1 + LABELS.index(unit[4])] for unit in truth.units]
    with pytest.raises(InputError, match=f"'{name}' may be it"):
        ga.read(table(tmp_path / "x.csv", [*names, name], cells))


@pytest.mark.parametrize("suffix", [" (1)", "_old", " - Copy"])
def test_a_copy_of_a_file_is_no_annotator(suffix, tmp_path):
    truth = Truth(29)
    for name, who in [*((who, who) for who in ANNOTATORS), (f"mira{suffix}", "mira")]:
        cells = [[unit[0], *unit[2:]] for unit in truth.units if unit[1] == who]
        table(tmp_path / "x" / f"{name}.csv", ["Datei", "Beginn", "Ende", "Code"], cells)
    with pytest.raises(InputError, match="may be a copy") as caught:
        ga.read(tmp_path / "x")
    without, with_it = (ga.read(tmp_path / "x", map=proposal) for proposal in caught.value.proposals)
    assert is_true(without, truth.units)
    assert len(with_it.annotators) == len(ANNOTATORS) + 1


def test_a_folder_of_each_group_divides_the_documents(tmp_path):
    truth = Truth(30)
    for document, who in pairs(truth):
        for group, cells in (("north", spans(truth, document, who)[::2]), ("south", spans(truth, document, who)[1::2])):
            table(tmp_path / "x" / group / f"{document}_{who}.csv", ["Beginn", "Ende", "Code"], cells)
    with pytest.raises(InputError, match="'north', 'south' divide") as caught:
        ga.read(tmp_path / "x")
    corpus = ga.read(tmp_path / "x", map=caught.value.proposals[0])
    assert len(corpus) == 2 * len(truth.texts)
    assert corpus.annotators == tuple(sorted(ANNOTATORS))


@pytest.mark.parametrize("text", ["text", "essay"])
def test_the_number_of_a_row_is_no_document(text, tmp_path):
    truth = Truth(31)
    cells = [
        [n, truth.texts[document], who, json.dumps(spans(truth, document, who))]
        for n, (document, who) in enumerate(pairs(truth))
    ]
    assert is_true(ga.read(table(tmp_path / "x.csv", ["id", text, "annotator", "spans"], cells)), truth.units)


@pytest.mark.parametrize("form", ["[{}, {}]", "[{},{}]", "({}, {})", "{}-{}", "{}..{}", "{} – {}"])
def test_both_bounds_in_a_cell(form, tmp_path):
    truth = Truth(32)
    cells = [[*unit[:2], form.format(*unit[2:4]), unit[4]] for unit in truth.units]
    assert is_true(ga.read(table(tmp_path / "x.csv", ["doc", "coder", "position", "label"], cells)), truth.units)


def test_lists_beside_each_other_are_asked_about(tmp_path):
    truth = Truth(33)
    values = [
        {"doc": document, "coder": who, "entities": spans(truth, document, who), "events": [
            [start + 1, end + 1, "E"] for start, end, _ in spans(truth, document, who)[::2]
        ]}
        for document, who in pairs(truth)
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"'\[\].entities\[\]' or in '\[\].events\[\]'"):
        ga.read(records(tmp_path / "x.jsonl", values))


def test_names_that_stand_above_several_rows_are_asked_for(tmp_path):
    truth = Truth(34)
    cells = [
        [unit[0] if n == 0 or truth.units[n - 1][0] != unit[0] else "", *unit[1:]] for n, unit in enumerate(truth.units)
    ]
    with pytest.raises(InputError, match=r"'Datei' is empty in .*; fill each empty cell") as caught:
        ga.read(table(tmp_path / "x.csv", ["Datei", "Kodierer", "Beginn", "Ende", "Code"], cells))
    assert not caught.value.proposals


def test_annotators_with_names_alike_are_noted(tmp_path):
    truth = Truth(35)
    cells = [[unit[0], unit[1].upper() if n % 7 == 0 else unit[1], *unit[2:]] for n, unit in enumerate(truth.units)]
    corpus = ga.read(table(tmp_path / "x.csv", ["Datei", "Kodierer", "Beginn", "Ende", "Code"], cells))
    notes = ga.pairwise_f1(corpus).notes
    assert any("names of annotators differ in case" in note and "'MIRA' and 'mira'" in note for note in notes)


@pytest.mark.parametrize("prefix", ["", "code_"])
def test_columns_of_judgments_of_the_same_units(prefix, tmp_path):
    truth = Truth(36)
    cells = []
    units = []
    for document, _, *bounds, label in (unit for unit in truth.units if unit[1] == "mira"):
        labels = [truth.random.choice([label, label, *LABELS]) for _ in ANNOTATORS]
        cells.append([document, *bounds, *labels])
        units += [(document, f"{prefix}{who}", *bounds, own) for who, own in zip(ANNOTATORS, labels, strict=True)]
    header = ["Datei", "Beginn", "Ende", *(f"{prefix}{who}" for who in ANNOTATORS)]
    with pytest.raises(InputError, match="may each be an annotator's category") as caught:
        ga.read(table(tmp_path / "x.csv", header, cells))
    (proposal,) = caught.value.proposals
    assert is_true(ga.read(tmp_path / "x.csv", map=proposal), units)


def test_texts_beside_tables_and_columns_that_one_table_has(tmp_path):
    truth = Truth(37)
    for document, text in truth.texts.items():
        (tmp_path / "x").mkdir(exist_ok=True)
        (tmp_path / "x" / f"{document}.txt").write_text(text, encoding="utf-8")
    for n, who in enumerate(ANNOTATORS):
        cells = [[unit[0], *unit[2:], *["ok"] * (n == 0)] for unit in truth.units if unit[1] == who]
        header = ["Datei", "Beginn", "Ende", "Kategorie", *["Bemerkung"] * (n == 0)]
        table(tmp_path / "x" / f"{who}.csv", header, cells)
    assert is_true(ga.read(tmp_path / "x"), truth.units)


@pytest.mark.parametrize(
    "names",
    [
        ("document", "annotator", "start", "end", "length", "category"),
        ("Datei", "Kodierer", "Beginn", "Ende", "Länge", "Code"),
        ("doc", "annotator", "start_token", "end_token", "n_tokens", "label"),
    ],
)
def test_lengths_tell_that_ends_are_inclusive(names, tmp_path):
    truth = Truth(38)
    cells = [[*unit[:3], unit[3] - 1, unit[3] - unit[2], unit[4]] for unit in truth.units]
    path = table(tmp_path / "x.csv", names, cells)
    try:
        corpus = ga.read(path)
    except InputError as error:
        match = re.search(r"map='(.*)'", str(error))
        assert match is not None
        corpus = ga.read(path, map=match[1])
    assert is_true(corpus, truth.units)


@pytest.mark.parametrize("names", [("document", "annotator", "start", "end"), ("Datei", "Kodierer", "Beginn", "Ende")])
def test_marks_under_names_of_categories_are_not_left_out(names, tmp_path):
    truth = Truth(39)
    cells = [[*unit[:4], *("x" if unit[4] == label else "" for label in LABELS)] for unit in truth.units]
    with pytest.raises(InputError, match="'PER', 'LOC', 'joy' have a mark"):
        ga.read(table(tmp_path / "x.csv", [*names, *LABELS], cells))


def test_names_are_shown_instead_of_their_numbers(tmp_path):
    truth = Truth(40)
    values = [
        {"file": document, "marks": [
            {"annotator": {"id": number, "name": who}, "spans": spans(truth, document, who)}
            for number, who in enumerate(ANNOTATORS)
        ]}
        for document in truth.texts
    ]  # fmt: skip
    assert is_true(ga.read(records(tmp_path / "x.jsonl", values)), truth.units)


@pytest.mark.parametrize("names", [["mira", "mira (1)"], ["A1", "A10"], ["mira", "tove"]])
def test_a_copy_among_annotators_is_noted(names, tmp_path):
    truth = Truth(41)
    name = {"jonas": "jonas", **dict(zip(["mira", "copy"], names, strict=True))}
    cells = [[unit[0], name[unit[1]], *unit[2:]] for unit in truth.units if unit[1] in name]
    cells += [[unit[0], name["copy"], *unit[2:]] for unit in truth.units if unit[1] == "mira"]
    corpus = ga.read(table(tmp_path / "x.csv", ["document", "annotator", "start", "end", "category"], cells))
    notes = [note for note in ga.pairwise_f1(corpus).notes if "If it is a copy" in note]
    assert len(notes) == (names[1] == "mira (1)")


def test_keys_that_are_the_words_of_units_tell_that_ends_are_inclusive(tmp_path):
    text = "Tove Lind met Ove in Skagen."
    for who, labels in CLUENER.items():
        records(tmp_path / f"{who}.jsonl", [{"text": text, "label": labels}])
    try:
        corpus = ga.read(tmp_path)
    except InputError as error:
        corpus = ga.read(tmp_path, map=error.proposals[0])
    assert sorted(unit for name in corpus for unit in corpus[name].units()) == [
        ("jonas", 0, 9, "Person"),
        ("jonas", 21, 27, "Ort"),
        ("mira", 0, 9, "Person"),
        ("mira", 14, 17, "Person"),
    ]
    assert corpus.documents == (text,)


@pytest.mark.parametrize("key", ["labels", "annotations", "spans", "label"])
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_a_judgment_of_each_annotator_is_no_span(key, suffix, tmp_path):
    judged = [("A", "B"), ("A", "A"), ("B", "B"), ("B", "B"), ("A", "A"), ("B", "A")]
    values = [
        {"id": number, "text": f"Sentence {number}", key: {"ann": first, "ben": second}}
        for number, (first, second) in enumerate(judged)
    ]
    path = records(tmp_path / "x.jsonl", values)
    if suffix == "json":
        path = tmp_path / "x.json"
        path.write_text(json.dumps(values), encoding="utf-8")
    assert len(ga.look(path).values) > 0
    assert ga.krippendorff_alpha(path).value == pytest.approx(
        ga.krippendorff_alpha(ga.ItemTable.from_matrix(judged)).value
    )
    with pytest.raises(InputError, match=r"items with a judgment of each coder, use ga.read_items"):
        ga.read(path)


def test_judgments_that_name_their_annotators_are_items(tmp_path):
    judged = [("A", "B"), ("A", "A"), ("B", "B"), ("B", "B"), ("A", "A"), ("B", "A")]
    values = [
        {"id": n, "annotations": [{"annotator": who, "label": label} for who, label in zip("ab", row, strict=True)]}
        for n, row in enumerate(judged)
    ]
    path = records(tmp_path / "x.jsonl", [{**value, "text": f"Sentence {value['id']}"} for value in values])
    expected = ga.krippendorff_alpha(ga.ItemTable.from_matrix(judged)).value
    assert ga.krippendorff_alpha(path).value == pytest.approx(expected)
    assert len(ga.look(path).values) > 0
    with pytest.raises(InputError, match="items with a judgment of each coder"):
        ga.read(path)


def test_a_dictionary_of_dictionaries_is_asked_about_with_maps_that_work(tmp_path):
    judged = [("A", "B"), ("A", "A"), ("B", "B"), ("B", "B"), ("A", "A"), ("B", "A")]
    expected = ga.krippendorff_alpha(ga.ItemTable.from_matrix(judged)).value
    by_item = {f"q{n}": dict(zip(["ann", "ben"], row, strict=True)) for n, row in enumerate(judged)}
    by_coder = {who: {item: labels[who] for item, labels in by_item.items()} for who in ("ann", "ben")}
    for right, content in enumerate((by_item, by_coder)):
        path = tmp_path / "x.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        for read in (ga.read_items, ga.look):
            with pytest.raises(InputError, match="may name items or coders") as error:
                read(path)
        table = ga.read_items(path, map=error.value.proposals[right])
        assert ga.krippendorff_alpha(table).value == pytest.approx(expected)


def test_what_is_no_record_in_a_list_of_records_is_refused(tmp_path):
    spans = [{"a": 0, "b": 4, "who": "ann"}, 3, {"a": 5, "b": 9, "who": "ben"}]
    path = records(tmp_path / "x.jsonl", [{"id": "d", "marks": spans}])
    roles = {"start": "[].marks[].a", "end": "[].marks[].b", "annotator": "[].marks[].who"}
    with pytest.raises(InputError, match=r"line 1: '3' is no record of the list '\[\].marks\[\]'"):
        ga.read(path, map={"form": "row", "roles": roles, "rows": {"each": "[].marks[]"}})


SENTENCE = "Anna met Ben in Rome and Cleo sang in Oslo"
NAMES = {"PER": ["Anna", "Ben", "Cleo"], "LOC": ["Rome", "Oslo"]}
BY_LABEL = {
    label: [[SENTENCE.index(name), SENTENCE.index(name) + len(name)] for name in names]
    for label, names in NAMES.items()
}


def test_names_of_lists_of_spans_are_asked_about_if_spans_have_no_category(tmp_path):
    path = records(tmp_path / "x.jsonl", [{"id": n, "text": f"{SENTENCE} {n}", "labels": BY_LABEL} for n in range(9)])
    with pytest.raises(InputError, match="annotators may be named by") as error:
        ga.read(path)
    read = [ga.read(path, map=proposal) for proposal in error.value.proposals]
    assert {(corpus.annotators, corpus.categories) for corpus in read if len(corpus.annotators) > 1} == {
        (("LOC", "PER"), ())
    }
    assert {corpus.categories for corpus in read if len(corpus.annotators) == 1} == {("LOC", "PER")}


def test_names_of_lists_of_spans_are_categories_if_the_record_names_its_annotator(tmp_path):
    values = [
        {"id": n, "annotator": who, "text": f"{SENTENCE} {n}", "labels": BY_LABEL} for n in range(9) for who in "ab"
    ]
    corpus = ga.read(records(tmp_path / "x.jsonl", values))
    assert (corpus.annotators, corpus.categories, corpus.n_units) == (("a", "b"), ("LOC", "PER"), 90)


@pytest.mark.parametrize("last", [0, 1])
def test_ends_of_last_characters_are_asked_about_if_the_texts_tell_them(last, tmp_path):
    spans = [
        {"start": start, "end": end - last, "label": label} for label, found in BY_LABEL.items() for start, end in found
    ]
    values = [{"id": n, "annotator": who, "text": f"{SENTENCE} {n}", "spans": spans} for n in range(9) for who in "ab"]
    path = records(tmp_path / "x.jsonl", values)
    if last:
        with pytest.raises(InputError, match="only if the last character belongs to them") as error:
            ga.read(path)
    corpus = ga.read(path, map=error.value.proposals[0]) if last else ga.read(path)
    (unit, *_) = corpus[corpus.documents[0]].units()
    assert (unit.start, unit.end) == (0, 4)


MARKED = [
    (who, start, start + 4, "PER", (who, start) == ("ben", 10)) for who in ("ann", "ben") for start in range(0, 90, 10)
]


def as_table(tmp_path):
    rows = ["document,annotator,start,end,category,deleted", *(f"d,{','.join(map(str, row))}" for row in MARKED)]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def as_json(tmp_path):
    keys = ("annotator", "start", "end", "label", "was_cancelled")
    marks = [dict(zip(keys, row, strict=True)) for row in MARKED]
    return records(tmp_path / "x.jsonl", [{"id": "d", "text": "x" * 99, "spans": marks}])


@pytest.mark.parametrize("write", [as_table, as_json])
def test_deleted_units_are_asked_about(write, tmp_path):
    path = write(tmp_path)
    with pytest.raises(InputError, match=r"1 unit has '[Tt]rue' in") as error:
        ga.read(path)
    without, with_them = (ga.read(path, map=proposal) for proposal in error.value.proposals)
    assert (without.n_units, with_them.n_units) == (17, 18)
    assert without.annotators == with_them.annotators == ("ann", "ben")


def test_the_only_list_of_a_file_has_the_items(tmp_path):
    judged = [("A", "B"), ("A", "A"), ("B", "B"), ("B", "B"), ("A", "A"), ("B", "A")]
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps({"title": "pilot", "items": [{"id": n, "ann": a, "ben": b} for n, (a, b) in enumerate(judged)]})
    )
    assert ga.krippendorff_alpha(path).value == ga.krippendorff_alpha(ga.ItemTable.from_matrix(judged)).value


def test_a_list_of_names_and_lists_is_one_record(tmp_path):
    marks = [[f"T{number}", "AB"[number % 2], [[start, start + 4]]] for number, start in enumerate(range(0, 90, 10))]
    values = [{"id": n, "annotator": who, "text": "Anna sang " * 9, "marked": marks} for n in range(4) for who in "ab"]
    path = records(tmp_path / "x.jsonl", values)
    with pytest.raises(InputError, match="may be the category") as error:
        ga.read(path)
    corpus = ga.read(path, map=error.value.proposals[0])
    assert (corpus.annotators, corpus.categories, corpus.n_units) == (("a", "b"), ("A", "B"), 72)
