"""Answers of language models: spans without offsets, damaged JSON, inline tags; 300 planted answers."""

from __future__ import annotations

import json
import pickle
import random
import re

import numpy as np
import pytest
from command_line import run
from places import CORPORA, FORMATS

import gamma_align as ga
from gamma_align.reading.marks.answers import parse_answer
from gamma_align.reading.marks.locate import Finder, Mention, _fewest_edits

SAMPLE = FORMATS / "answers" / "answers.jsonl"
TEXT = "The old man sings in Rome. “The old  man – he – is Anna's uncle,” she says; US and us."


def saved(folder, *answers, text=TEXT, name="answers.jsonl"):
    path = folder / name
    records = [
        {"document": f"d{number}", "model": "gpt", "text": text, "answer": answer}
        for number, answer in enumerate(answers, 1)
    ]
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def units_of(corpus, document="d1", text=TEXT):
    return [(text[int(start) : int(end)], category) for _, start, end, category in corpus[document].units()]


# Places


@pytest.mark.parametrize(
    ("mention", "start", "covered"),
    [
        (Mention("sings"), 12, "sings"),
        (Mention("ROME"), 21, "Rome"),
        (Mention('"the old man - he'), 27, "“The old  man – he"),
        (Mention("Anna’s uncle"), TEXT.index("Anna"), "Anna's uncle"),
        (Mention("Anna's uncl"), TEXT.index("Anna"), "Anna's uncle"),
        (
            Mention("Ana's uncle"),
            TEXT.index("Anna"),
            "Anna's uncle",
        ),  # as near as a stretch that begins within the word
        (Mention("she sais"), TEXT.index("she"), "she says"),
        (Mention("the old man", occurrence=2), 28, "The old  man"),
        (Mention("the old man", after="sings in"), 0, "The old man"),
        (Mention("the old man", before="“"), 28, "The old  man"),
    ],
)
def test_a_mention_is_found(mention, start, covered):
    (found,) = Finder(TEXT).find([mention])
    assert (found.start, TEXT[found.start : found.end], found.doubt) == (start, covered, None)


def edit_distance(first, second):
    """Levenshtein's distance, as it is defined."""
    row = list(range(len(second) + 1))
    for index, character in enumerate(first, 1):
        diagonal, row[0] = row[0], index
        for column, other in enumerate(second, 1):
            diagonal, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, diagonal + (character != other)),
            )
    return row[-1]


def test_edits_are_the_fewest_of_all_stretches_that_may_begin_there():
    generator = random.Random(3)  # noqa: S311 - no secret
    for _ in range(60):
        pattern, text = ("".join(generator.choices("ab", k=length)) for length in (4, 9))
        begins = np.array([True, *(generator.random() < 0.4 for _ in text)])
        edits, begin = _fewest_edits(pattern, text, begins)
        for end in range(len(text) + 1):
            allowed = [start for start in range(end + 1) if begins[start]]
            assert edits[end] == min(edit_distance(pattern, text[start:end]) for start in allowed)
            assert edits[end] == edit_distance(pattern, text[begin[end] : end])
            assert begins[begin[end]]


@pytest.mark.parametrize("text", ["Paris", "he sings", "the old man sang", "ings", "", "  "])
def test_an_invention_is_not_found(text):
    (found,) = Finder(TEXT, 0.1).find([Mention(text)])
    assert found.reason is not None


def test_an_occurrence_that_is_not_there_is_not_found():
    (found,) = Finder(TEXT).find([Mention("the old man", occurrence=3)])
    assert found.reason == "it is mentioned as occurrence 3, and there are 2"


def test_equal_mentions_are_the_places_in_order():
    first, second = Finder(TEXT).find([Mention("the old man", "PER"), Mention("the old man", "PER")])
    assert (first.start, second.start, first.doubt, second.doubt) == (0, 28, None, None)


def test_mentions_of_different_categories_are_in_doubt():
    found = Finder(TEXT).find([Mention("the old man", "PER"), Mention("the old man", "ROLE")])
    assert [(entry.start, entry.doubt) for entry in found] == [
        (0, "it is in the text 2 times"),
        (28, "it is in the text 2 times"),
    ]


def test_a_mention_too_many_is_not_found():
    found = Finder(TEXT).find([Mention("the old man")] * 3)
    assert [entry.start for entry in found[:2]] == [0, 28]
    assert found[2].reason == "it is mentioned more often than it is in the text (2 times)"


def test_a_mention_follows_the_one_before():
    found = Finder(TEXT).find([Mention("Rome"), Mention("the old man")])
    assert (found[1].start, found[1].doubt) == (28, "it is in the text 2 times")


def test_a_word_that_is_there_in_another_case_is_in_doubt():
    (found,) = Finder(TEXT).find([Mention("us")])
    assert (TEXT[found.start : found.end], found.doubt) == (
        "us",
        "it is in the text 2 times if case, quotes and dashes are ignored",
    )


def test_scripts_without_spaces_have_no_words():
    text = "老人は歌う。"
    assert Finder(text).find([Mention("老人")])[0][:2] == (0, 2)


# Answers

SPANS = [("the old man", "PER"), ("Rome", "LOC")]
WHOLE = '[{"text": "the old man", "label": "PER"}, {"text": "Rome", "label": "LOC"}]'


@pytest.mark.parametrize(
    ("answer", "repairs"),
    [
        (WHOLE, ()),
        (json.loads(WHOLE), ()),
        (f"```json\n{WHOLE}\n```", ("a code fence around JSON",)),
        (f"Here they are:\n{WHOLE}\nI hope this helps [1].", ("words around JSON",)),
        (f'{{"entities": {WHOLE}}}', ()),
        ('{"PER": ["the old man"], "LOC": ["Rome"]}', ()),
        ('[["the old man", "PER"], ["Rome", "LOC"]]', ()),
        (WHOLE.replace("}]", "},]").replace('"PER"}', '"PER",}'), ("trailing commas",)),
        (f'{WHOLE[:-1]}, {{"text": "An', ("the answer is cut off: spans after its last complete one are lost",)),
        (
            f"```\n{WHOLE[:-1]}",
            ("the answer is cut off: spans after its last complete one are lost", "a code fence around JSON"),
        ),
        ('[{"Span": "the old man", "Type": "PER"}, {"mention": "Rome", "entity_type": "LOC"}]', ()),
    ],
)
def test_spans_are_read(answer, repairs):
    parsed = parse_answer(answer)
    assert [(mention.text, mention.category) for mention in parsed.mentions] == SPANS
    assert (parsed.repairs, parsed.problem) == (repairs, None)


@pytest.mark.parametrize("answer", ["", "[]", "```json\n[]\n```", '{"PER": []}', "[", "{}"])
def test_an_empty_answer_has_no_spans(answer):
    parsed = parse_answer(answer)
    assert (parsed.mentions, parsed.tagged, parsed.problem) == ((), (), None)


@pytest.mark.parametrize("answer", ["I cannot do that.", "[1, 2]", '[{"label": "PER"}]'])
def test_an_answer_without_spans_is_a_problem(answer):
    assert parse_answer(answer).problem is not None


def test_inline_tags_and_links():
    parsed = parse_answer("The <PER>old <ADJ>grey</ADJ> man</PER> in [Rome](LOC)")
    assert parsed.plain == "The old grey man in Rome"
    assert [(parsed.plain[start:end], label) for start, end, label in parsed.tagged] == [
        ("old grey man", "PER"),
        ("grey", "ADJ"),
        ("Rome", "LOC"),
    ]
    assert parse_answer("a <B>c").problem is not None
    assert parse_answer("<A>a</A> <B>c").repairs == ("the tag <B> is not closed: its unit is lost",)


# Files


def test_the_sample_is_read():
    corpus = ga.read(SAMPLE)
    assert corpus.annotators == ("claude", "gpt-4o")
    assert any("is not found" in note for note in corpus.notes)


def test_spans_become_units(tmp_path):
    corpus = ga.read(saved(tmp_path, WHOLE.replace("the old man", "uncle")))
    assert units_of(corpus) == [("Rome", "LOC"), ("uncle", "PER")]


def test_every_doubt_is_listed(tmp_path):
    answer = [{"text": text} for text in ("the old man", "Paris", "she sais")]
    notes = "\n".join(ga.read(saved(tmp_path, answer)).notes)
    assert "line 1 ('d1', 'gpt'): 'the old man' is placed at 0, not unique: it is in the text 2 times" in notes
    assert "line 1 ('d1', 'gpt'): 'Paris' is not found: it is not in the text" in notes
    assert "line 1 ('d1', 'gpt'): 'she sais' is found with 1 edit as 'she says'" in notes
    assert "spans not found, which have no unit: 1" in notes


def test_many_doubts_of_a_kind_are_one_note(tmp_path):
    answer = f"```json\n{json.dumps([{'text': 'the old man'}, {'text': 'Paris'}])}\n```"
    path = saved(tmp_path, *[answer] * 5)
    notes = ga.read(path).notes
    (doubtful,) = (note for note in notes if "is placed at" in note)
    assert doubtful.count("is placed at") == 3
    assert "(5 in all)" in doubtful
    assert len([note for note in notes if "code fence" in note]) == 1
    assert len([note for note in notes if "Paris" in note]) == 1
    assert pickle.loads(pickle.dumps(doubtful)) == doubtful  # noqa: S301 - our own
    listed = ga.validate(path).notes
    for cause in ("'the old man' is placed at 0", "'Paris' is not found", "code fence"):
        assert len([note for note in listed if cause in note]) == 5
    assert not [note for note in listed if "in all" in note]


def test_edits_are_a_setting(tmp_path):
    path = saved(tmp_path, [{"text": "she sais", "label": "X"}])
    assert units_of(ga.read(path, locate=0)) == []
    assert units_of(ga.read(path, locate=0.2)) == [("she says", "X")]
    with pytest.raises(ga.SettingsError, match="locate must be"):
        ga.read(path, locate=1)


def test_tagged_text_that_differs_is_aligned(tmp_path):
    answer = TEXT.replace("Rome", "<LOC>Rome</LOC>").replace("Anna's", "<PER>Ana's</PER>").replace(" in ", " at ")
    corpus = ga.read(saved(tmp_path, answer))
    assert units_of(corpus) == [("Rome", "LOC"), ("Anna's", "PER")]
    assert any("the tagged text differs from the document" in note for note in corpus.notes)
    assert any('is placed on "Anna\'s"' in note for note in corpus.notes)


def test_a_tagged_text_of_another_document_is_refused(tmp_path):
    with pytest.raises(ga.InputError, match="is not that of the document"):
        ga.read(saved(tmp_path, "Quite <X>another</X> story, about nothing of this kind"))


def test_texts_may_be_beside(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text(
        json.dumps({"document": "d1", "model": "gpt", "answer": [{"text": "Rome"}]}) + "\n", encoding="utf-8"
    )
    with pytest.raises(ga.InputError, match=r"the text of document 'd1' is not known.*texts="):
        ga.read(path)
    texts = tmp_path / "texts.jsonl"
    texts.write_text(json.dumps({"document": "d1", "text": TEXT}) + "\n", encoding="utf-8")
    assert units_of(ga.read(path, texts=texts)) == [("Rome", None)]
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "d1.txt").write_text(TEXT, encoding="utf-8")
    assert units_of(ga.read(path, texts=folder)) == [("Rome", None)]


def test_an_answer_that_cannot_be_read_names_model_and_document(tmp_path):
    with pytest.raises(ga.InputError, match="the answer of 'gpt' on 'd2' cannot be read"):
        ga.read(saved(tmp_path, WHOLE, "Sorry."))


def test_the_command_lists_what_is_lost(tmp_path):
    done = run("validate", saved(tmp_path, [{"text": "Paris"}]), "--locate", "0.1")
    assert done.returncode == 0, done.stderr
    assert "'Paris' is not found" in done.stderr


# 300 answers with planted errors

CORPUS = CORPORA / "novels_ner"


def planted(draw, text, span):
    """Return a kind of error and the mention that a model could write for a span of the text."""
    start, end = span
    surface = text[start:end]
    kind = draw.choice(
        [
            "as it is",
            "case",
            "white space",
            "quotes",
            "typing error",
            "context",
            "occurrence",
            "invention",
            "paraphrase",
        ]
    )
    if kind == "case":
        surface = draw.choice([surface.upper(), surface.lower(), surface.title()])
    elif kind == "white space":
        surface = f" {surface.replace(' ', '  ')}\n"
    elif kind == "quotes":
        surface = surface.replace("'", "’").replace("-", "–").replace('"', "“")
    elif kind == "typing error" and len(surface) >= 8:
        place = draw.randrange(1, len(surface) - 1)
        surface = surface[:place] + draw.choice("etaoin") + surface[place + 1 :]
    elif kind == "context":
        return kind, Mention(surface, before=text[max(start - 30, 0) : start], after=text[end : end + 30])
    elif kind == "occurrence":
        places = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(surface)}(?!\w)", text)]
        return kind, Mention(surface, occurrence=places.index(start) + 1 if start in places else None)
    elif kind == "paraphrase":
        words = surface.split()
        surface = " ".join(reversed(words)) if len(words) > 1 else f"a certain {surface}"
    elif kind == "invention":
        surface = draw.choice(
            ["Captain Nemo of Atlantis", "the Sorbonne in Paris", "Zaphod Beeblebrox", "Xanadu Palace"]
        )
    return kind, Mention(surface)


@pytest.mark.release
def test_300_planted_answers_are_located_rightly_or_reported():
    corpus = ga.read(CORPUS)
    draw = random.Random(7)  # noqa: S311  (no secret)
    finders = {}
    spans = []
    for document, text in zip(corpus.documents, corpus.texts, strict=True):
        finders[document] = Finder(text)
        for _, start, end, _ in corpus[document].units():
            spans.append((document, text, (int(start), int(end))))
    right = reported = wrong = 0
    kinds = set()
    for document, text, span in draw.sample(spans, 300):
        kind, mention = planted(draw, text, span)
        kinds.add(kind)
        (found,) = finders[document].find([mention])
        is_listed = found.reason is not None or found.doubt is not None or found.edits > 0
        if kind != "invention" and (found.start, found.end) == span:
            right += 1
        elif is_listed:
            reported += 1
        else:
            wrong += 1
    assert len(kinds) == 9
    assert wrong == 0
    assert right + reported == 300
    assert right > 100


@pytest.mark.parametrize("key", ["document", "doc_id", "file"])
def test_answers_in_a_list_name_their_document_by_any_usual_key(key, tmp_path):
    record = {key: "d", "model": "m", "text": "Anna met Bob", "response": '[{"text": "Bob", "label": "PER"}]'}
    path = tmp_path / "x.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    corpus = ga.read(path)
    assert (corpus.documents, corpus.annotators) == (("d",), ("m",))
    assert (corpus.start.tolist(), corpus.end.tolist()) == ([9], [12])


def test_people_in_a_table_and_a_model_with_quotes_are_one_corpus(tmp_path):
    text = "Anna met Bob in Rome"
    (tmp_path / "people.csv").write_text("doc_id,annotator,start,end,label\nd,Ana,0,4,PER\nd,Bo,9,12,PER\n")
    record = {"doc_id": "d", "spans": [{"span": "Rome", "label": "LOC"}, {"span": "Bob", "label": "PER"}]}
    (tmp_path / "model.json").write_text(json.dumps([record, {**record, "doc_id": "e"}]))
    (tmp_path / "texts").mkdir()
    for name in "de":
        (tmp_path / "texts" / f"{name}.txt").write_text(text)
    texts = tmp_path / "texts"
    model = ga.read(tmp_path / "model.json", texts=texts)
    assert model.n_units == 4
    assert ga.read(tmp_path / "people.csv").merge(model).length_unit == "char"
