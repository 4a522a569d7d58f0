"""Tables that nobody has seen: names, columns of something else and layouts by chance. None may be read wrongly."""

from __future__ import annotations

import csv
import itertools
import json
import random

import pytest

import gamma_align as ga

# Names of document, annotator, start, end and category; some are in no list of usual names.
NAMES = {
    "en": ("story passage clip", "reader who coder", "start beg left", "end stop right", "technique emotion tag"),
    "de": ("Text Fall Datei", "Prüfer Person", "von Anfang", "bis Schluss", "Art Merkmal"),
    "fr": ("texte entretien", "juge annotateur", "de début", "à fin", "étiquette thème"),
    "pt": ("texto ficheiro", "avaliador juiz", "de começo", "até fim", "tipo rótulo"),
    "sv": ("text intervju", "kodare bedömare", "från början", "till slut", "typ etikett"),
    "ja": ("文書 音声", "作業者 評価者", "開始 始点", "終了 終点", "分類 種類"),
}
WORDS = "alder brook canoe dusk ember fjord grove heron inlet jetty kestrel larch meadow nettle otter pebble".split()  # noqa: SIM905
LAYOUTS = ("table", "list", "lines", "file of each", "texts")


class Case:
    """Units of a few annotators on a few texts, and how a table names and counts them."""

    def __init__(self, seed):
        self.random = random.Random(f"unseen {seed}")  # noqa: S311
        choose = self.random.choice
        language = [*NAMES][seed % len(NAMES)]
        self.names = [choose(names.split()) for names in NAMES[language]]
        self.annotators = self.random.sample(["mira", "jonas", "R1", "7", "Ngozi"], self.random.randint(2, 4))
        self.categories = self.random.sample(["CLAIM", "premise", "A", "1", "joy"], self.random.randint(2, 4))
        self.layout = LAYOUTS[seed // len(NAMES) % len(LAYOUTS)]
        self.counts = choose(["characters", "characters", "words", "seconds"])
        self.texts = {}
        self.units = []  # document, annotator, start, end, category, first and last word
        for number in range(1, self.random.randint(3, 6)):
            self._mark(f"case{number}")
        if self.counts != "characters":
            self.texts = dict.fromkeys(self.texts, "")

    def _mark(self, document):
        words = self.random.choices(WORDS, k=self.random.randint(30, 60))
        edges = [*itertools.accumulate((len(word) + 1 for word in words), initial=0)]
        self.texts[document] = " ".join(words)
        first = 0
        while (first := first + self.random.randint(1, 4)) < len(words) - 4:
            last, category = first + self.random.randint(1, 3), self.random.choice(self.categories)
            bounds = {
                "characters": (edges[first], edges[last] - 1),
                "words": (first, last),
                "seconds": (edges[first] / 10, (edges[last] - 1) / 10),
            }[self.counts]
            for annotator in self.annotators:
                if self.random.random() < 0.85:
                    label = self.random.choice(self.categories) if self.random.random() < 0.15 else category
                    self.units.append((document, annotator, *bounds, label, first, last))
            first = last

    def columns(self):
        """Return name and values of each column, with some that are no roles."""
        columns = [(name, [unit[role] for unit in self.units]) for role, name in enumerate(self.names)]
        others = {
            "id": [*range(1, len(self.units) + 1)],
            "n_words": [unit[6] - unit[5] for unit in self.units],
            "token_from": [unit[5] for unit in self.units],
            "score": [round(self.random.random(), 2) for _ in self.units],
            "polarity": [self.random.choice(["hi", "lo"]) for _ in self.units],
            "remark": [self.random.choice(["", "", "see above"]) for _ in self.units],
            "gold": [self.random.choice(self.categories) for _ in self.units],
            "start_time": [unit[5] * 370 + 5 for unit in self.units],
            "end_time": [unit[6] * 370 + 9 for unit in self.units],
        }
        if self.counts == "characters":
            others["quote"] = [self.texts[unit[0]][unit[2] : unit[3]] for unit in self.units]
        chosen = self.random.sample([*others], 3)
        columns += [(name, others[name]) for name in chosen]
        self.random.shuffle(columns)
        return columns

    def write(self, folder):
        """Write the table, and return its path."""
        header, cells = zip(*self.columns(), strict=True)
        rows = [*zip(*cells, strict=True)]
        if self.layout == "table":
            return table(folder / "x.csv", header, rows)
        if self.layout == "list":
            return written(folder / "x.json", json.dumps([dict(zip(header, row, strict=True)) for row in rows]))
        if self.layout == "lines":
            return written(
                folder / "x.jsonl", "\n".join(json.dumps(dict(zip(header, row, strict=True))) for row in rows)
            )
        if self.layout == "file of each":
            who = header.index(self.names[1])
            for annotator in self.annotators:
                own = [row[:who] + row[who + 1 :] for row in rows if row[who] == annotator]
                table(folder / "x" / f"{annotator}.csv", header[:who] + header[who + 1 :], own)
            return folder / "x"
        where = header.index(self.names[0])
        records = [
            {
                "name": document,
                "text": text,
                "codes": [
                    {name: cell for name, cell in zip(header, row, strict=True) if name != self.names[0]}
                    for row in rows
                    if row[where] == document
                ],
            }
            for document, text in self.texts.items()
        ]
        return written(folder / "x.json", json.dumps(records))


def table(path, header, rows):
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows([header, *rows])
    return path


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def units(corpus):
    rows = corpus.to_frame().itertuples(index=False)
    return sorted((row.document, row.annotator, row.start, row.end, row.category) for row in rows)


def asks_again(path, proposal):
    """Return whether a map that a question proposes is asked about; its rows may have problems."""
    try:
        ga.read(path, map=proposal)
    except ga.InputError as error:
        return bool(error.proposals) or "not read yet" in str(error)
    return False


@pytest.mark.parametrize("seed", range(60))
def test_no_table_is_read_wrongly_and_no_cure_asks_again(seed, tmp_path):
    case = Case(seed)
    path = case.write(tmp_path)
    proposals = ()
    corpus = None
    try:
        corpus = ga.read(path)
    except ga.InputError as error:
        proposals = error.proposals
    assert [proposal for proposal in proposals if asks_again(path, proposal)] == []
    if corpus is None or len(corpus.annotators) == 1:  # which every measure refuses
        return
    assert units(corpus) == sorted(unit[:5] for unit in case.units), (case.names, case.counts)


def asked(path, match):
    with pytest.raises(ga.InputError, match=match) as caught:
        ga.read(path)
    return [ga.read(path, map=proposal) for proposal in caught.value.proposals]


@pytest.fixture
def case():
    """Return a case whose positions count characters."""
    return next(case for case in map(Case, range(100)) if case.counts == "characters" and len(case.units) > 40)


def test_a_column_named_text_names_documents_if_it_divides_the_units(case, tmp_path):
    path = table(tmp_path / "x.csv", ["texte", "juge", "début", "fin", "thème"], [unit[:5] for unit in case.units])
    assert units(ga.read(path)) == sorted(unit[:5] for unit in case.units)


@pytest.mark.parametrize(
    "names", [["Datei", "Kodierer", "Anfang", "Schluss", "Art"], ["document", "coder", "from", "to", "tag"]]
)
def test_words_of_units_tell_that_ends_are_inclusive(names, case, tmp_path):
    cells = [[*unit[:3], unit[3] - 1, unit[4], case.texts[unit[0]][unit[2] : unit[3]]] for unit in case.units]
    path = table(tmp_path / "x.csv", [*names, "quote"], cells)
    assert units(ga.read(path)) == sorted(unit[:5] for unit in case.units)


def test_a_length_in_words_is_no_duration_in_characters(case, tmp_path):
    cells = [[*unit[:5], unit[6] - unit[5]] for unit in case.units]
    asked(
        table(tmp_path / "x.csv", ["Datei", "Kodierer", "Beginn", "until", "Art", "length"], cells), "may be the bounds"
    )


def test_two_pairs_of_bounds_are_asked_about(case, tmp_path):
    cells = [[*unit[:5], unit[5] * 370, unit[6] * 370] for unit in case.units]
    names = ["Datei", "Kodierer", "left", "right", "Art", "Beginn", "Ende"]
    asked(table(tmp_path / "x.csv", names, cells), "may be the bounds")


def test_the_category_is_not_an_attribute_beside_it(case, tmp_path):
    cells = [[*unit[:5], "hi" if unit[2] % 2 else "lo"] for unit in case.units]
    names = ["Datei", "Kodierer", "Beginn", "Ende", "Zustand", "polarity"]
    asked(table(tmp_path / "x.csv", names, cells), "'Zustand'")


def test_a_category_in_other_words_is_not_left_out(case, tmp_path):
    cells = [unit[:5] for unit in case.units]
    path = table(tmp_path / "x.csv", ["document", "annotator", "start", "end", "emotion"], cells)
    assert units(ga.read(path)) == sorted(unit[:5] for unit in case.units)


@pytest.mark.parametrize("name", ["passage", "part"])
def test_units_that_overlap_and_are_told_apart_are_asked_about(name, case, tmp_path):
    cells = [[*unit[1:5], unit[0]] for unit in case.units]
    path = table(tmp_path / "x.csv", ["annotator", "start", "end", "category", name], cells)
    with pytest.raises(ga.InputError, match=name):
        ga.read(path)
    records = [dict(zip(["annotator", "start", "end", "category", name], row, strict=True)) for row in cells]
    with pytest.raises(ga.InputError, match=name):
        ga.read(written(tmp_path / "x.json", json.dumps(records)))


def test_spans_with_keys_of_another_language_are_read(case, tmp_path):
    records = [
        {"id": text, "text": case.texts[text], "spans": [
            {"Kodierer": who, "von": start, "bis": end, "Art": label}
            for document, who, start, end, label, *_ in case.units if document == text
        ]}
        for text in case.texts
    ]  # fmt: skip
    assert units(ga.read(written(tmp_path / "x.json", json.dumps(records)))) == sorted(unit[:5] for unit in case.units)


def test_pairs_of_bounds_that_share_no_place_are_no_annotators(case, tmp_path):
    cells = [[unit[0], unit[2], unit[3], unit[5] * 370, unit[6] * 370] for unit in case.units]
    asked(table(tmp_path / "x.csv", ["Datei", "one_start", "one_end", "two_start", "two_end"], cells), "no annotators")


def test_a_bound_in_milliseconds_is_not_of_a_unit_in_characters(case, tmp_path):
    cells = [[*unit[:2], unit[2], unit[6] * 370, unit[4]] for unit in case.units]
    with pytest.raises(ga.InputError, match="units of"):
        ga.read(table(tmp_path / "x.csv", ["file", "coder", "begin", "end_ms", "label"], cells))


def test_quotes_of_units_in_seconds_or_words_are_no_paragraphs(case, tmp_path):
    words = [case.texts[unit[0]][unit[2] : unit[3]] for unit in case.units]
    for bounds in (lambda unit: [unit[2] / 10, unit[3] / 10], lambda unit: unit[5:7]):
        found = [(*unit[:2], *bounds(unit), unit[4]) for unit in case.units]
        cells = [[*unit, word] for unit, word in zip(found, words, strict=True)]
        path = table(tmp_path / "x.csv", ["Datei", "Kodierer", "Beginn", "Ende", "Art", "Zitat"], cells)
        assert units(ga.read(path)) == sorted(found)


@pytest.mark.parametrize("name", ["Runde", "guideline"])
def test_layers_answer_the_question_about_versions_in_names_of_any_language(name, case, tmp_path):
    names = ["Datei", "Kodierer", "Beginn", "Ende", "Art", name]
    cells = [[*unit[:5], version] for unit in case.units for version in ("v1", "v2")]
    path = table(tmp_path / "x.csv", names, cells)
    asked(path, name)
    expected = sorted(unit[:5] for unit in case.units)
    assert units(ga.read(path, columns={"layer": name}, layers=["v2"])) == expected


def test_a_column_that_the_user_names_is_kept_while_data_tell_the_others(case, tmp_path):
    names = ["Datei", "Kodierer", "Prüfer", "Beginn", "Ende", "Art"]
    cells = [[*unit[:2], unit[1][::-1], *unit[2:5]] for unit in case.units]
    path = table(tmp_path / "x.csv", names, cells)
    corpus = ga.read(path, columns={"annotator": "Prüfer"})
    assert units(corpus) == sorted((unit[0], unit[1][::-1], *unit[2:5]) for unit in case.units)
    assert units(ga.read(path, columns={"annotator": "Kodierer", "category": None})) == sorted(
        (*unit[:4], None) for unit in case.units
    )


@pytest.mark.parametrize("separator", ["; ", ", ", "|"])
def test_rows_of_several_annotators_are_refused(separator, case, tmp_path):
    names = case.annotators[:2]
    cells = [[unit[0], who, *unit[2:5]] for unit in case.units for who in (separator.join(names), names[0], names[1])]
    with pytest.raises(ga.InputError, match="several annotators"):
        ga.read(table(tmp_path / "x.csv", ["document", "annotator", "start", "end", "category"], cells))


@pytest.mark.parametrize(
    "names", [["document", "annotator", "start", "end", "category"], ["file", "rater", "begin", "end", "label"]]
)
def test_texts_tell_that_ends_are_inclusive_whatever_the_names(names, case, tmp_path):
    cells = [[*unit[:3], unit[3] - 1, unit[4], case.texts[unit[0]]] for unit in case.units]
    (corpus,) = asked(table(tmp_path / "x.csv", [*names, "text"], cells), "last character")
    assert units(corpus) == sorted(unit[:5] for unit in case.units)


def test_many_rows_are_decided_by_the_first_documents_and_read_whole(case, tmp_path):
    names = ["Datei", "Kodierer", "Beginn", "Ende", "Art"]
    cells = [
        [f"{unit[0]} of {number}", *unit[1:5]] for number in range(24_000 // len(case.units)) for unit in case.units
    ]
    random.Random(5).shuffle(cells)  # noqa: S311
    assert units(ga.read(table(tmp_path / "x.csv", names, cells))) == sorted(map(tuple, cells))
    with pytest.raises(ga.InputError, match="line 24"):
        ga.read(table(tmp_path / "y.csv", names, [*cells[:22], ["d", "Ana", 9, 4, "A"], *cells[22:]]))


@pytest.mark.parametrize(
    "keys", [("entities", "text", "type"), ("spans", "quote", "label"), ("annotations", "text", "tag")]
)
def test_words_of_units_in_a_record_with_its_text_tell_their_places(tmp_path, keys):
    """As language models answer: the words of each entity, and no offsets."""
    spans, words, label = keys
    texts = ["Ada Lovelace met Charles Babbage in London.", "Babbage lived in London and Ada in Kent."]
    units = [("Ada", "PER"), ("Babbage", "PER"), ("London", "LOC"), ("Kent", "LOC")]
    lines = [
        {
            "id": f"d{number}",
            "model": model,
            "text": text,
            spans: [
                {words: word, label: kind} for word, kind in units if word in text and (word, model) != ("Kent", "m1")
            ],
        }
        for model in ("m1", "m2")
        for number, text in enumerate(texts)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    corpus = ga.read(path)
    assert {*corpus.annotators} == {"m1", "m2"}
    found = {(name, *unit) for name in corpus for unit in corpus[name].units()}
    expected = {
        (
            line["id"],
            line["model"],
            line["text"].index(span[words]),
            line["text"].index(span[words]) + len(span[words]),
            span[label],
        )
        for line in lines
        for span in line[spans]
    }
    assert found == expected


@pytest.mark.parametrize("names", [("Input.text", "Answer.highlights"), ("text", "spans")])
@pytest.mark.parametrize("bounds", [("start", "end"), ("startOffset", "endOffset")])
def test_results_of_a_crowd_with_spans_in_a_cell(tmp_path, names, bounds):
    """The worker's id is no document, and the task goes with its text."""
    rows = [("HITId", "AssignmentId", "WorkerId", "WorkTimeInSeconds", *names)]
    expected = set()
    for task in range(5):
        text = f"The cat number {task} sat on the mat"
        for place, worker in enumerate(("A1", "B2", "C3")):
            units = [(4, 7, "animal"), *([(len(text) - 3, len(text), "thing")] if (task + place) % 3 else [])]
            spans = [dict(zip((*bounds, "label"), unit, strict=True)) for unit in units]
            rows.append(
                (str(task), f"{task}{worker}", worker, str(17 * task + 5 * place + 20), text, json.dumps(spans))
            )
            expected |= {(worker, text, *unit) for unit in units}
    path = tmp_path / "batch_results.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    corpus = ga.read(path)
    found = {(annotator, name, *unit) for name in corpus for annotator, *unit in corpus[name].units()}
    assert found == expected
