"""Tables of one's own from one truth: read as it is, or asked about with maps that need no second question."""

from __future__ import annotations

import itertools
import json
import random

import pytest
from own_tables import ANNOTATORS, WORDS, Truth, is_true, seconds, table, units_of

import gamma_align as ga
from gamma_align.errors import InputError

# document, annotator, start, end, duration, category, quote, round
HEADERS = {
    "en": ["file name", "Coder", "Start time (s)", "Stop time (s)", "Duration (s)", "Code", "Segment", "version"],
    "de": ["Datei", "Kodierer/in", "Beginn", "Ende", "Dauer", "Kategorie", "Zitat", "Runde"],
    "fr": ["Fichier", "Annotateur", "Début", "Fin", "Durée", "Catégorie", "Extrait", "version"],
    "es": ["Archivo", "Anotador", "Inicio", "Fin", "Duración", "Categoría", "Cita", "ronda"],
    "it": ["Documento", "Annotatore", "Inizio", "Fine", "Durata", "Categoria", "Citazione", "versione"],
    "pt": ["Arquivo", "Anotador", "Início", "Fim", "Duração", "Categoria", "Trecho", "versão"],
    "nl": ["Bestand", "Beoordelaar", "Begin", "Einde", "Duur", "Categorie", "Citaat", "ronde"],
    "ru": ["Файл", "Аннотатор", "Начало", "Конец", "Длительность", "Категория", "Цитата", "версия"],
    "zh": ["文件", "标注者", "开始", "结束", "时长", "类别", "引文", "版本"],
}
OPAQUE = [f"V{number}" for number in range(1, 9)]
# Each function writes the truth in one shape and returns the path and the units that it holds.


def rows(truth, names, path):
    shuffled = truth.random.sample(truth.units, len(truth.units))
    cells = [[n, unit[4], unit[0], *unit[2:4], "", unit[1]] for n, unit in enumerate(shuffled)]
    header = ["id", names[5], names[0], names[2], names[3], "comment", names[1]]
    return table(path / "x.csv", header, cells, ";"), truth.units


def durations(truth, names, path):
    units = seconds(truth.units)
    cells = [[unit[2], round(unit[3] - unit[2], 6), unit[4], unit[1], unit[0]] for unit in units]
    return table(path / "x.tsv", [names[2], names[4], names[5], names[1], names[0]], cells, "\t"), units


def decimal_commas(truth, names, path):
    units = seconds(truth.units)
    cells = [[*unit[:2], *(f"{bound:.2f}".replace(".", ",") for bound in unit[2:4]), unit[4]] for unit in units]
    return table(path / "x.csv", [*names[:4], names[5]], [*cells], ";"), units


def quotes_beside(truth, names, path):
    cells = [[*unit, truth.texts[unit[0]][unit[2] : unit[3]]] for unit in truth.units]
    return table(path / "x.csv", [*names[:4], names[5], names[6]], cells), truth.units


def title_lines(truth, names, path):
    table(path / "x.csv", [*names[:4], names[5]], truth.units, ";")
    text = (path / "x.csv").read_text(encoding="utf-8")
    (path / "x.csv").write_text(f"Project of 2026\n\n{text}", encoding="utf-8")
    return path / "x.csv", truth.units


def folders(truth, names, path):
    for document, annotator in itertools.product(truth.texts, ANNOTATORS):
        cells = [unit[2:] for unit in truth.units if unit[:2] == (document, annotator)]
        table(path / "x" / annotator / f"{document}.csv", [*names[2:4], names[5]], cells)
    return path / "x", truth.units


def file_of_each(truth, names, path):
    for annotator in ANNOTATORS:
        cells = [[unit[0], *unit[2:]] for unit in truth.units if unit[1] == annotator]
        table(path / "x" / f"{annotator}.csv", [names[0], *names[2:4], names[5]], cells)
    return path / "x", truth.units


def wide(truth, names, path):
    cells = []
    for document in truth.texts:
        own = [[unit[2:] for unit in truth.units if unit[:2] == (document, who)] for who in ANNOTATORS]
        pairs = itertools.zip_longest(*own, fillvalue=("", "", ""))
        cells += [[document, *itertools.chain.from_iterable(row)] for row in pairs]
    columns = [f"{who}_{role}" for who in ANNOTATORS for role in ("start", "end", "label")]
    return table(path / "x.csv", [names[0], *columns], cells), truth.units


def cells_of_spans(truth, _names, path):
    cells = [
        [document, text, *(
            json.dumps([unit[2:] for unit in truth.units if unit[:2] == (document, who)]) for who in ANNOTATORS
        )]
        for document, text in truth.texts.items()
    ]  # fmt: skip
    return table(path / "x.csv", ["id", "text", *ANNOTATORS], cells), truth.units


def tags(truth, names, path):
    cells = []
    for document, text in truth.texts.items():
        columns = {who: ["O"] * len(text.split()) for who in ANNOTATORS}
        for of, who, first, last, category in truth.tokens:
            if of == document:
                columns[who][first:last] = [f"{category}-B", *[f"{category}-I"] * (last - first - 1)]
        cells += [[document, *row] for row in zip(text.split(), *columns.values(), strict=True)]
    return table(path / "x.csv", [names[0], "token", *ANNOTATORS], cells), truth.tokens


def starts_and_stops(truth, names, path):
    events = [
        (*unit[:2], bound, unit[4], kind)
        for unit in truth.units
        for bound, kind in ((unit[2], "START"), (unit[3], "STOP"))
    ]
    header = [*names[:2], "Time", names[5], "Behavior type"]
    return table(path / "x.tsv", header, events, "\t"), truth.units


def flat_records(truth, names, path):
    keys = [*names[:4], names[5]]
    records = [dict(zip(keys, unit, strict=True)) for unit in truth.units]
    (path / "x.json").write_text(json.dumps(records), encoding="utf-8")
    return path / "x.json", truth.units


def by_names(truth, _names, path):
    tree = {
        document: {who: [unit[2:] for unit in truth.units if unit[:2] == (document, who)] for who in ANNOTATORS}
        for document in truth.texts
    }
    (path / "x.json").write_text(json.dumps({"data": tree, "version": "1"}), encoding="utf-8")
    return path / "x.json", truth.units


def in_records(truth, _names, path):
    lines = [
        json.dumps({"doc": document, "text": text, "by": {
            who: [unit[2:] for unit in truth.units if unit[:2] == (document, who)] for who in ANNOTATORS
        }})
        for document, text in truth.texts.items()
    ]  # fmt: skip
    (path / "x.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return path / "x.jsonl", truth.units


TABLES = [rows, durations, decimal_commas, quotes_beside, title_lines, folders, file_of_each, tags, flat_records]
SHAPES = [*TABLES, wide, cells_of_spans, starts_and_stops, by_names, in_records]


@pytest.mark.parametrize("language", HEADERS)
@pytest.mark.parametrize("shape", TABLES)
def test_a_table_with_names_in_nine_languages_is_read(shape, language, tmp_path):
    path, units = shape(Truth(f"{language}1"), HEADERS[language], tmp_path)
    assert is_true(ga.read(path), units)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_read(shape, seed, tmp_path):
    path, units = shape(Truth(seed), HEADERS["en"], tmp_path)
    assert is_true(ga.read(path), units)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", TABLES)
def test_a_table_whose_names_say_nothing_is_asked_about(shape, seed, tmp_path):
    path, units = shape(Truth(seed), OPAQUE, tmp_path)
    try:
        corpus = ga.read(path)
    except InputError as error:
        follow(path, error)
    else:
        assert is_true(corpus, units)


def follow(path, error, **settings):
    """Read a path with each map that an error proposes; none asks again."""
    corpora = [ga.read(path, map=proposal, **settings) for proposal in error.proposals]
    assert all(repr(proposal["form"])[1:-1] in str(error) for proposal in error.proposals)
    return corpora


def asked(path, match):
    with pytest.raises(InputError, match=match) as caught:
        ga.read(path)
    assert caught.value.proposals
    return follow(path, caught.value)


def test_the_first_proposal_for_names_that_say_nothing_is_true(tmp_path):
    path, units = quotes_beside(Truth(5), OPAQUE, tmp_path)
    assert is_true(asked(path, "may be start and end")[0], units)


def test_two_rounds_are_never_one(tmp_path):
    truth = Truth(2)
    cells = [[*unit, version] for version in ("v1", "v2") for unit in truth.units]
    names = HEADERS["de"]
    path = table(tmp_path / "x.csv", [*names[:4], names[5], names[7]], cells)
    apart, alone = asked(path, "'Runde'")
    assert len(apart) == 2 * len(truth.texts)
    assert is_true(alone, truth.units)


def test_positions_in_sentences_are_never_taken_as_of_documents(tmp_path):
    truth = Truth(3)
    names = HEADERS["fr"]
    cells = [
        [*unit[:2], unit[2] // 100, unit[2] % 100, unit[3] - unit[2] + unit[2] % 100, unit[4]] for unit in truth.units
    ]
    path = table(tmp_path / "x.csv", [*names[:2], "phrase", *names[2:4], names[5]], cells)
    asked(path, "'phrase'")


def test_different_units_of_measure_are_asked_about(tmp_path):
    truth = Truth(7)
    cells = [[*unit[:2], unit[2] / 10, (unit[3] - unit[2]) * 100, unit[4]] for unit in truth.units]
    asked(
        table(tmp_path / "x.csv", ["Datei", "Kodierer", "Beginn (s)", "Dauer (ms)", "Kategorie"], cells),
        "units of measure",
    )


def test_ends_that_may_be_inclusive_are_asked_about(tmp_path):
    truth = Truth(8)
    cells = [[*unit[:3], unit[3] - 1, unit[4]] for unit in truth.units]
    path = table(tmp_path / "x.csv", ["Datei", "Kodierer", "first", "last", "Kategorie"], cells)
    assert is_true(asked(path, "may belong to the unit")[0], truth.units)


def test_a_column_that_is_named_as_another_document_is_asked_about(tmp_path):
    cells = [["f", f"d{n // 2}", "ab"[n % 2], n // 2, n // 2 + 4, "X"] for n in range(20)]
    path = table(tmp_path / "x.csv", ["Ordner", "Dokument", "Kodierer", "Beginn", "Ende", "Kategorie"], cells)
    assert len(ga.read(path)) == 10
    cells = [[f"f{n // 2 % 2}", f"d{n // 2 % 5}", "ab"[n % 2], n // 2, n // 2 + 4, "X"] for n in range(20)]
    asked(
        table(tmp_path / "y.csv", ["Datei", "Dokument", "Kodierer", "Beginn", "Ende", "Kategorie"], cells), "documents"
    )


def test_two_names_of_annotators_are_asked_about(tmp_path):
    truth = Truth(4)
    cells = [[unit[0], unit[1], truth.random.choice("AB"), *unit[2:]] for unit in truth.units]
    path = table(tmp_path / "x.csv", ["Datei", "Kodierer", "Beurteiler", "Beginn", "Ende", "Kategorie"], cells)
    try:
        corpus = ga.read(path)
    except InputError as error:
        follow(path, error)
    else:  # the other names share no places
        assert is_true(corpus, truth.units)


def test_numbers_of_paragraphs_are_no_positions(tmp_path):
    names = ["Dokument", "Kodierer", "Anfang", "Ende", "Code", "Segment"]
    cells = [["d1", who, n, n, "A", f"a sentence with several words {n}"] for n in range(1, 9) for who in "ab"]
    with pytest.raises(InputError, match="no positions of characters") as caught:
        ga.read(table(tmp_path / "x.csv", names, cells))
    assert not caught.value.proposals


def test_quotes_ask_for_texts_and_are_read_with_them(tmp_path):
    truth = Truth(6)
    cells = [[unit[1], unit[0], truth.texts[unit[0]][unit[2] : unit[3]], unit[4]] for unit in truth.units]
    path = table(tmp_path / "x.csv", ["Student", "Text", "Snippet", "Category"], cells)
    with pytest.raises(InputError, match=r"quotes without positions.*texts="):
        ga.read(path)
    with pytest.raises(InputError, match="quotes may be at several places") as caught:
        ga.read(path, texts=truth.texts)
    (corpus,) = follow(path, caught.value, texts=truth.texts)
    found = {unit[:2] for unit in units_of(corpus)}
    assert found == {unit[:2] for unit in truth.units}
    assert set(corpus.texts) == set(truth.texts.values())
    words = [f"{word}{number}" for number, word in enumerate(WORDS)]
    text = " ".join(words)
    cells = [[who, "d", word, "A"] for who in ANNOTATORS for word in words[::2]]
    path = table(tmp_path / "y.csv", ["Student", "Text", "Snippet", "Category"], cells)
    found = units_of(ga.read(path, texts={"d": text}))
    assert found == sorted(
        ("d", who, text.index(word), text.index(word) + len(word), "A") for who in ANNOTATORS for word in words[::2]
    )


def test_stages_in_lines(tmp_path):
    stages = {}
    for night, who in itertools.product(["n1", "n2"], ANNOTATORS):
        choose = random.Random(night)  # noqa: S311
        stages[night, who] = [choose.choice("WNR") for _ in range(40)]
        stages[night, who][3] = who[0].upper()
        (tmp_path / "x" / who).mkdir(parents=True, exist_ok=True)
        (tmp_path / "x" / who / f"{night}.txt").write_text("\n".join(stages[night, who]), encoding="utf-8")
    judgments = ga.read_items(tmp_path / "x")
    assert len(judgments) == 80
    columns = zip(*judgments.rows(), strict=True)
    assert {coder: [*column] for coder, column in zip(judgments.coders, columns, strict=True)} == {
        who: stages["n1", who] + stages["n2", who] for who in ANNOTATORS
    }


@pytest.mark.parametrize(
    "header",
    [["id", "age", "income", "city"], ["sepal_length", "sepal_width", "species"], ["name", "q1", "q2", "q3"]],
)
def test_a_table_of_something_else_is_refused(header, tmp_path):
    choose = random.Random(1)  # noqa: S311
    cells = [[choose.randint(1, 90) for _ in header[:-1]] + [choose.choice("xyz")] for _ in range(30)]
    with pytest.raises(InputError):
        ga.read(table(tmp_path / "x.csv", header, cells))


@pytest.mark.parametrize("names", [("start", "end", "label"), ("begin", "end", "category"), ("von", "bis", "Art")])
def test_folders_are_annotators_if_they_mark_the_same_places(names, tmp_path):
    truth = Truth(7)
    for document, annotator in {unit[:2] for unit in truth.units}:
        rows = [unit[2:5] for unit in truth.units if unit[:2] == (document, annotator)]
        (tmp_path / "x" / annotator).mkdir(parents=True, exist_ok=True)
        table(tmp_path / "x" / annotator / f"{document}.csv", names, rows)
    assert is_true(ga.read(tmp_path / "x"), truth.units)
