"""Common shapes of span data give the right number with no option, through the command line as a user has it."""

from __future__ import annotations

import json
from itertools import pairwise

import pandas as pd
import pytest
from command_line import run

import gamma_align as ga

TEXTS = {
    "d1": "Anna met Ben in Rome and they went on to Paris by train",
    "d2": "The Danube flows from Germany to the Black Sea",
}
SPANS = {
    "d1": {
        "ann": [(0, 4, "PER"), (9, 12, "PER"), (16, 20, "LOC"), (41, 46, "LOC")],
        "ben": [(0, 4, "PER"), (9, 12, "LOC"), (16, 20, "LOC")],
    },
    "d2": {
        "ann": [(4, 10, "LOC"), (22, 29, "LOC"), (37, 46, "LOC")],
        "ben": [(0, 10, "LOC"), (22, 29, "ORG"), (37, 46, "LOC")],
    },
}
ROWS = [(document, who, *span) for document, people in SPANS.items() for who, spans in people.items() for span in spans]
RECORDS = [dict(zip(("doc_id", "annotator", "start", "end", "label"), row, strict=True)) for row in ROWS]
EACH = [(document, who, spans) for document, people in SPANS.items() for who, spans in people.items()]


def tokens(document):
    """Return each token with its start, as people's tokenizers have them."""
    text, place = TEXTS[document], 0
    for token in text.split():
        place = text.index(token, place)
        yield token, place
        place += len(token)


def tags(document, who):
    """Yield the IOB tag of each token."""
    for token, place in tokens(document):
        span = next((s for s in SPANS[document][who] if s[0] <= place and place + len(token) <= s[1]), None)
        yield "O" if span is None else f"{'B' if span[0] == place else 'I'}-{span[2]}"


def in_tokens():
    starts = {document: [place for _, place in tokens(document)] for document in TEXTS}
    ends = {document: [place + len(token) for token, place in tokens(document)] for document in TEXTS}
    return [(d, who, starts[d].index(start), ends[d].index(end) + 1, label) for d, who, start, end, label in ROWS]


EXTENTS = {document: (0, len(text)) for document, text in TEXTS.items()}
TOKEN_EXTENTS = {document: (0, len(text.split())) for document, text in TEXTS.items()}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def jsonl(path, records):
    write(path, "".join(json.dumps(record) + "\n" for record in records))


def table(folder):
    pd.DataFrame(RECORDS).to_csv(folder / "spans.csv", index=False)
    return folder / "spans.csv"


def table_of_each_annotator(folder):
    for who, rows in pd.DataFrame(RECORDS).groupby("annotator"):
        write(folder / f"{who}.csv", rows.drop(columns="annotator").to_csv(index=False))
    return folder


def table_with_other_names(folder):
    names = {"doc_id": "filename", "annotator": "coder", "start": "begin", "end": "to", "label": "type"}
    pd.DataFrame(RECORDS).assign(text="x").rename(columns=names).to_csv(folder / "all.tsv", sep="\t", index=False)
    return folder / "all.tsv"


def span_a_line(folder):
    jsonl(folder / "spans.jsonl", RECORDS)
    return folder / "spans.jsonl"


def text_a_line(folder):
    jsonl(
        folder / "texts.jsonl",
        (
            {
                "id": document,
                "annotator": who,
                "text": TEXTS[document],
                "entities": [{"start": start, "end": end, "label": label} for start, end, label in spans],
            }
            for document, who, spans in EACH
        ),
    )
    return folder / "texts.jsonl"


def labels_in_a_file_of_each_annotator(folder):
    for who in ("ann", "ben"):
        texts = ({"id": d, "text": TEXTS[d], "labels": spans} for d, name, spans in EACH if name == who)
        jsonl(folder / f"{who}.jsonl", texts)
    return folder


def dictionary_of_annotators(folder):
    jsonl(folder / "a.jsonl", ({"doc": d, "text": TEXTS[d], "annotations": people} for d, people in SPANS.items()))
    return folder / "a.jsonl"


def conll(folder):
    for document in TEXTS:
        for who in ("ann", "ben"):
            rows = zip(tokens(document), tags(document, who), strict=True)
            write(folder / who / f"{document}.conll", "".join(f"{token}\t{tag}\n" for (token, _), tag in rows) + "\n")
    return folder


def table_of_tokens(folder):
    rows = [
        {"doc_id": document, "coder": who, "Sentence #": 1, "Word": token, "Tag": tag}
        for document, who, _ in EACH
        for (token, _), tag in zip(tokens(document), tags(document, who), strict=True)
    ]
    pd.DataFrame(rows).to_csv(folder / "tokens.csv", index=False)
    return folder / "tokens.csv"


def docbin(folder):
    spacy = pytest.importorskip("spacy")
    blank = spacy.blank("en")
    for who in ("ann", "ben"):
        docs = spacy.tokens.DocBin()
        for document, people in SPANS.items():
            doc = blank(TEXTS[document])
            doc.ents = [doc.char_span(*span[:2], label=span[2]) for span in people[who]]
            docs.add(doc)
        docs.to_disk(folder / f"{who}.spacy")
    return folder


def elan(folder):
    for document, people in SPANS.items():
        times = sorted({bound for spans in people.values() for span in spans for bound in span[:2]})
        slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{t}" TIME_VALUE="{1000 * t}"/>' for t in times)
        tiers = "".join(
            f'<TIER TIER_ID="entities-{who}" ANNOTATOR="{who}" LINGUISTIC_TYPE_REF="default">'
            + "".join(
                f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{who}{start}" TIME_SLOT_REF1="ts{start}" '
                f'TIME_SLOT_REF2="ts{end}"><ANNOTATION_VALUE>{label}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION>'
                "</ANNOTATION>"
                for start, end, label in spans
            )
            + "</TIER>"
            for who, spans in people.items()
        )
        write(
            folder / f"{document}.eaf",
            '<?xml version="1.0" encoding="UTF-8"?><ANNOTATION_DOCUMENT AUTHOR="" DATE="2024-01-01T00:00:00Z" '
            'FORMAT="3.0" VERSION="3.0"><HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/><TIME_ORDER>'
            f'{slots}</TIME_ORDER>{tiers}<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="default" TIME_ALIGNABLE="true"/>'
            "</ANNOTATION_DOCUMENT>",
        )
    return folder


TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = {length}
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "IntervalTier"
        name = "entities"
        xmin = 0
        xmax = {length}
        intervals: size = {size}
"""
INTERVAL = """        intervals [{number}]:
            xmin = {start}
            xmax = {end}
            text = "{text}"
"""


def textgrid(folder):
    for document, who, spans in EACH:
        length = len(TEXTS[document])
        edges = sorted({0, length, *(bound for span in spans for bound in span[:2])})
        labels = {start: label for start, _, label in spans}
        intervals = "".join(
            INTERVAL.format(number=number, start=start, end=end, text=labels.get(start, ""))
            for number, (start, end) in enumerate(pairwise(edges), 1)
        )
        header = TEXTGRID.format(length=length, size=len(edges) - 1)
        write(folder / who / f"{document}.TextGrid", header + intervals)
    return folder


IN_CHARACTERS = ga.Corpus.from_records(ROWS)
WITH_TEXT = ga.Corpus.from_records(ROWS, extents=EXTENTS)
IN_TOKENS = ga.Corpus.from_records(in_tokens(), extents=TOKEN_EXTENTS)
SHAPES = {
    table: IN_CHARACTERS,
    table_of_each_annotator: IN_CHARACTERS,
    table_with_other_names: IN_CHARACTERS,
    span_a_line: IN_CHARACTERS,
    text_a_line: WITH_TEXT,
    labels_in_a_file_of_each_annotator: WITH_TEXT,
    dictionary_of_annotators: WITH_TEXT,
    conll: IN_TOKENS,
    table_of_tokens: IN_TOKENS,
    docbin: WITH_TEXT,
    elan: IN_CHARACTERS,
    textgrid: WITH_TEXT,
}


def numbers(result):
    return [result[name]["observed"] for name in ("gamma", "gamma_cat")]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_the_number_is_right_with_no_option(shape, tmp_path):
    path = shape(tmp_path)
    measured = run("measure", path, "--json", "--samples", "10")
    assert measured.returncode == 0, measured.stderr
    expected = ga.gamma(SHAPES[shape], samples=10)
    result = json.loads(measured.stdout)
    assert numbers(result["corpus"]) == pytest.approx(numbers(expected.to_dict()["corpus"]), rel=1e-9)
    assert len(result["documents"]) == 2
    assert sorted(result["corpus"]["gamma_k"]) == ["LOC", "ORG", "PER"]


def test_a_frame():
    assert ga.gamma(pd.DataFrame(RECORDS), samples=10).gamma == ga.gamma(IN_CHARACTERS, samples=10).gamma


def test_the_only_column_that_can_be_the_category_is_read_as_it_with_a_note(tmp_path):
    path = tmp_path / "spans.csv"
    pd.DataFrame(RECORDS).rename(columns={"label": "coarse_label"}).to_csv(path, index=False)
    measured = run("measure", path, "--samples", "10", "--json")
    assert "coarse_label" in measured.stderr
    assert numbers(json.loads(measured.stdout)["corpus"]) == numbers(
        ga.gamma(IN_CHARACTERS, samples=10).to_dict()["corpus"]
    )
    without = run("measure", path, "--samples", "10", "--json", "--no-categories")
    assert without.returncode == 0
    assert json.loads(without.stdout)["corpus"]["gamma_k"] == {}


def test_a_table_of_one_annotator_is_validated_and_converted_and_not_measured(tmp_path):
    path = tmp_path / "ann.csv"
    rows = pd.DataFrame(RECORDS).query("annotator == 'ann'").drop(columns="annotator")
    rows.to_csv(path, index=False)
    for done in (run("validate", path), run("convert", path, tmp_path / "out.jsonl")):
        assert done.returncode == 0, done.stderr
        assert "all units are taken as those of 'ann'" in done.stderr
    refused = run("measure", path)
    assert refused.returncode == 3
    assert "only one annotator: 'ann'" in refused.stderr
    assert "--column annotator=…" in refused.stderr
