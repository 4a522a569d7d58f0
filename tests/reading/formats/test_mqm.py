"""MQM ratings: errors between marks, segments without errors, and rows that are no ratings."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading.formats.mqm import _stretches

SAMPLE = FORMATS / "mqm_tsv" / "sxs_ende_head.tsv"
HEADER = ("system", "doc", "docSegId", "globalSegId", "rater", "source", "target", "category", "severity", "metadata")


def row(
    target, category="Accuracy/Omission", severity="Major", *, rater="r1", source="Hello.", system="A", segment="1"
):
    return (system, "doc", segment, segment, rater, source, target, category, severity, "{}")


def saved(folder, *rows, header=HEADER, name="ratings.tsv"):
    path = folder / name
    path.write_text("".join("\t".join(cells) + "\n" for cells in (header, *rows)), encoding="utf-8")
    return path


def units(corpus):
    return {name: [tuple(unit) for unit in corpus[name].units()] for name in corpus.documents}


def told(corpus, words):
    return any(words in note for note in corpus.notes)


# --- the sample --------------------------------------------------------------------------------------------


def test_sample_has_the_expected_units():
    corpus = ga.read(SAMPLE)
    every = [unit for document in corpus.documents for unit in corpus[document].units()]
    assert len(corpus.documents) == 12
    assert sum(len(corpus[document].annotators) for document in corpus.documents) == 32
    assert Counter(unit.annotator for unit in every) == {"rater3": 13, "rater5": 2}
    assert Counter(unit.category for unit in every) == {
        "Accuracy/Mistranslation": 6,
        "Fluency/Grammar": 5,
        "Style/Unnatural or awkward": 3,
        "Fluency/Punctuation": 1,
    }
    at = corpus.documents.index("GPT4-5shot_with_ONLINE-W/1")
    assert ("rater3", 101, 102, "Fluency/Punctuation") in units(corpus)[corpus.documents[at]]
    assert len(corpus.texts[at]) == 102
    assert corpus.texts[at].startswith("Die Polizei nimmt 15 Personen")
    assert told(corpus, "3 rows about planted errors (HOTW-test) are left out")


@pytest.mark.parametrize(
    ("manner", "counts"),
    [
        ("severity", {"Minor": 10, "Major": 5}),
        ("top", {"Accuracy": 6, "Fluency": 6, "Style": 3}),
    ],
)
def test_categories_can_be_taken_at_other_levels(manner, counts):
    corpus = ga.read(SAMPLE, options={"category": manner})
    assert Counter(unit.category for document in corpus.documents for unit in corpus[document].units()) == counts


# --- rows --------------------------------------------------------------------------------------------------


def test_no_error_marks_a_seen_segment(tmp_path):
    path = saved(tmp_path, row("Ha<v>ll</v>o."), row("Hallo.", "No-error", "No-error", rater="r2"))
    corpus = ga.read(path)
    assert corpus["A/1"].annotators == ("r1", "r2")
    assert units(corpus) == {"A/1": [("r1", 2, 4, "Accuracy/Omission")]}
    assert corpus.texts == ("Hallo.",)


def test_several_stretches_are_one_unit(tmp_path):
    path = saved(tmp_path, row("<v>Ha</v>llo<v>.</v>"))
    assert units(ga.read(path)) == {"A/1": [("r1", 0, 6, "Accuracy/Omission")]}
    assert len(units(ga.read(path, discontinuous="parts"))["A/1"]) == 2
    with pytest.raises(InputError, match=r"ratings.tsv, line 2: the unit has 2 parts"):
        ga.read(path, discontinuous="refuse")


def test_quotation_marks_are_characters(tmp_path):
    path = saved(tmp_path, row('"<v>Hallo</v>'), row('"Hal<v>lo</v>'))
    corpus = ga.read(path)
    assert [unit[1:3] for unit in units(corpus)["A/1"]] == [(1, 6), (4, 6)]
    assert corpus.texts == ('"Hallo',)


def test_errors_without_a_stretch_are_counted(tmp_path):
    corpus = ga.read(saved(tmp_path, row("Hallo.", "Non-translation!")))
    assert units(corpus) == {"A/1": []}
    assert told(corpus, "1 errors without <v> in source or target are left out")


def test_source_and_target_are_layers_read_one_at_a_time(tmp_path):
    path = saved(tmp_path, row("<v>Hallo</v>.", "T"), row("Hallo.", "S", source="<v>Hel</v>lo."))
    with pytest.raises(InputError, match=r"2 layers: source \(1 units\), target \(1 units\)"):
        ga.read(path)
    with pytest.raises(InputError, match=r"ratings.tsv: source and target are two texts"):
        ga.read(path, layers="*")
    target, source = ga.read(path, layers="target"), ga.read(path, layers="source")
    assert units(target) == {"A/1": [("r1", 0, 5, "T")]}
    assert units(source) == {"A/1": [("r1", 0, 3, "S")]}
    assert (target.texts, source.texts) == (("Hallo.",), ("Hello.",))


def test_errors_of_the_source_alone_are_in_its_text(tmp_path):
    corpus = ga.read(saved(tmp_path, row("Hallo.", source="<v>Hel</v>lo.")))
    assert units(corpus) == {"A/1": [("r1", 0, 3, "Accuracy/Omission")]}
    assert corpus.texts == ("Hello.",)


def test_older_names_of_the_segment_column_are_accepted(tmp_path):
    header = ("system", "doc", "doc_id", "seg_id", *HEADER[4:])
    assert units(ga.read(saved(tmp_path, row("<v>Ha</v>llo."), header=header))) == {
        "A/1": [("r1", 0, 2, "Accuracy/Omission")]
    }


def test_severity_and_category_together(tmp_path):
    corpus = ga.read(saved(tmp_path, row("<v>Ha</v>llo.")), options={"category": "both"})
    assert [unit[3] for unit in units(corpus)["A/1"]] == ["Major Accuracy/Omission"]


# --- what is wrong -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((row("<v>Hallo."),), "line 2: <v> and </v> do not take turns in the target"),
        ((row("Ha</v>llo<v>."),), "line 2: <v> and </v> do not take turns in the target"),
        ((row("Hallo.", source="<v><v>a</v>"),), "line 2: <v> and </v> do not take turns in the source"),
        (
            (row("<v>Hallo</v>."), row("<v>Hello</v>.")),
            "line 3: the text of 'A/1' differs from the rater's rows before",
        ),
        ((row("<v>Hallo</v>.", rater=" "),), "line 2: no rater; fill the cell"),
        ((("A", "doc"),), "line 2: 2 cells, and columns up to the 9th are needed"),
    ],
)
def test_invalid_lines_are_refused_with_their_number(tmp_path, rows, message):
    with pytest.raises(InputError, match=f"ratings.tsv, {message}"):
        ga.read(saved(tmp_path, *rows))


def test_different_texts_of_a_rater_are_refused(tmp_path):
    with pytest.raises(InputError, match="document 'A/1': the annotators' texts differ"):
        ga.read(saved(tmp_path, row("<v>Hallo</v>."), row("<v>Hello</v>.", rater="r2")))


def test_other_tables_and_options(tmp_path):
    with pytest.raises(InputError, match="line 1: no column severity"):
        ga.read(saved(tmp_path, header=HEADER[:8]), format="mqm")
    with pytest.raises(InputError, match="line 1: no column globalSegId or seg_id"):
        ga.read(saved(tmp_path, header=(*HEADER[:2], *HEADER[4:])), format="mqm")
    with pytest.raises(SettingsError, match="the option category is one of 'full', 'top', 'severity', 'both'"):
        ga.read(saved(tmp_path, row("Hallo.")), options={"category": "low"})


@given(st.lists(st.tuples(st.text("ab<v>/ 😀", max_size=4), st.booleans()), max_size=6))
def test_tags_are_removed_and_their_positions_kept(parts):
    parts = [(text.replace("<v>", "").replace("</v>", ""), marked) for text, marked in parts]
    written = "".join(f"<v>{text}</v>" if marked else text for text, marked in parts)
    if written.count("<v>") + written.count("</v>") != 2 * sum(marked for _, marked in parts):
        return  # two stretches made a mark where they meet
    text, places = _stretches(written)
    assert text == "".join(text for text, _ in parts)
    assert [text[start:end] for start, end in places] == [text for text, marked in parts if marked]
