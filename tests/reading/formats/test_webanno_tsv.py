"""WebAnno TSV 3: the reference suite of its makers against the CAS of the same documents, and what is written."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from uima_oracles import SUITE, suite_cas, types_with
from uima_oracles import units as units_of
from written import FILE_NAMES, TEXTS, content, corpora_with_texts

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.choices import choices

NAMES = sorted(path.name for path in SUITE.iterdir())
WITH_XMI = [name for name in NAMES if (SUITE / name / "reference.xmi").exists()]
WITHOUT_XMI = ["sampleSlotAnnotation1", "sampleSlotAnnotation2"]

# the format has no place for blanks between tokens: units that begin or end in one are cut, those within one moved
MOVED = {
    "testAnnotationWithLeadingWhitespace": ((4, 8), (5, 8)),
    "testAnnotationWithLeadingWhitespaceAtStart": ((0, 4), (1, 4)),
    "testAnnotationWithTrailingWhitespace": ((0, 4), (0, 3)),
    "testAnnotationWithTrailingWhitespaceAtEnd": ((4, 8), (4, 7)),
    "testZeroWidthAnnotationBeforeFirstTokenIsMovedToBeginOfFirstToken": ((1, 1), (2, 2)),
    "testZeroWidthAnnotationBetweenTokenIsMovedToEndOfPreviousToken": ((4, 4), (3, 3)),
    "testZeroWidthAnnotationBeyondLastTokenIsMovedToEndOfLastToken": ((8, 8), (7, 7)),
}
RENAMED = "webanno.custom.Span"  # as the suite's .tsv calls what is a NamedEntity in most of its .xmi


# --- the suite against cassis ------------------------------------------------------------------------------


def declared(name):
    """Return the layers that a file declares, with the features that are no relation and no slot."""
    found = {}
    for line in (SUITE / name / "reference.tsv").read_text(encoding="utf-8").split("\n"):
        kind, _, rest = line.partition("=")
        layer, *features = rest.split("|")
        if kind == "#T_SP":
            slot = any(feature.startswith("ROLE_") for feature in features)
            found[layer] = [f for f in features if f and "." not in f and not f.startswith("ROLE_")] or [None]
            assert slot or "." not in "".join(features)
        elif kind == "#T_CH":
            found[layer] = ["referenceType"]
    return found


def units_of_cas(cas, layer, feature):
    wanted = types_with(cas, layer)
    if layer == RENAMED and not wanted:
        wanted = types_with(cas, ".NamedEntity")
    return sum((units_of(cas, name, feature) for name in [*wanted, *types_with(cas, "POS_NOUN")]), Counter())


@pytest.mark.parametrize("name", WITH_XMI)
def test_values_agree_with_the_cas(name):
    cas = suite_cas(name)
    path = SUITE / name / "reference.tsv"
    for layer, features in declared(name).items():
        for feature in features:
            corpus = ga.read(path, layers={layer: feature})
            assert corpus.documents == ("reference",)
            assert corpus.annotators == ("reference",)
            read = Counter((unit.start, unit.end, unit.category) for unit in corpus["reference"].units())
            expected = units_of_cas(cas, layer, feature)
            if name in MOVED:
                (was, now), (old, value) = MOVED[name], (next(iter(expected))[:2], next(iter(expected))[2])
                assert old == was
                expected = Counter([(*now, value)])
            assert read == expected
            assert read


@pytest.mark.parametrize("name", WITH_XMI)
def test_text_and_tokens_agree_with_the_cas(name):
    cas = suite_cas(name)
    marks = next(
        iter(
            formats.by_name("webanno-tsv").read(
                Source(SUITE / name / "reference.tsv", name), choices(layers="none of them")
            )
        )
    )
    said = cas.sofa_string
    kept = said.rstrip(" ") if name in MOVED else said
    assert marks.texts[None, None] == kept
    tokens = [token for kind in types_with(cas, ".Token") for token in cas.select(kind)]
    assert marks.tokens[None, None] == [tuple(len16(said[:at]) for at in (token.begin, token.end)) for token in tokens]


def len16(text):
    return len(text.encode("utf-16-le")) // 2


def test_suite_is_complete():
    assert len(NAMES) == 75
    assert sorted({*WITH_XMI, *WITHOUT_XMI}) == NAMES
    # grep -ho '<[a-z0-9]*:[A-Z][A-Za-z_]*' */reference.xmi | sort | uniq -c, relations, tokens and sentences aside
    expected = {"NamedEntity": 137, "SimpleSpan": 33, "Span": 5, "SimpleLink": 14, "SimpleLinkHost": 10}
    expected |= {"ComplexLinkHost": 5, "FlexLinkHost": 1, "POS": 4, "Lemma": 1, "Stem": 1, "MorphologicalFeatures": 1}
    read = sum(
        ga.read(SUITE / name / "reference.tsv", layers={layer: features[0]}).n_units
        for name in WITH_XMI
        for layer, features in declared(name).items()
    )
    assert read == sum(expected.values()) == 212


@pytest.mark.parametrize(
    ("name", "layer", "units"),
    [
        ("sampleSlotAnnotation1", "SimpleSlotHost", [(0, 4)]),
        ("sampleSlotAnnotation1", "SimpleSpan", [(5, 7), (8, 9)]),
        ("sampleSlotAnnotation1", "SurfaceForm", [(10, 14)]),
        ("sampleSlotAnnotation2", "SimpleSlotHost", [(0, 4), (0, 4)]),
    ],
)
def test_the_two_without_a_cas(name, layer, units):
    corpus = ga.read(SUITE / name / "reference.tsv", layers=layer)
    assert [(unit.start, unit.end, unit.category) for unit in corpus["reference"].units()] == [
        (*unit, None) for unit in units
    ]
    assert corpus.texts == ("This is a test .",)


# --- layers, features, notes -------------------------------------------------------------------------------


def tsv(*lines, header=("#T_SP=custom.Span|label",), version="3.3"):
    """Return a file: `lines` have blanks for tabs, but for those written so."""
    rows = [line if line.startswith("#") or not line else re.sub(" +", "\t", line) + "\t" for line in lines]
    return "\n".join([f"#FORMAT=WebAnno TSV {version}", *header, "", "", *rows, ""])


ONE = ("#Text=This is it", "1-1 0-4 This A[1]", "1-2 5-7 is A[1]|B[2]", "1-3 8-10 it _")


def saved(folder, text, name="anna.tsv"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def units(corpus):
    return [tuple(unit) for name in corpus.documents for unit in corpus[name].units()]


GUM = (
    "#FORMAT=WebAnno TSV 3.2\n#T_SP=webanno.custom.Referent|entity|identity\n\n\n#Text=Auckland Castle\n"
    "1-1\t0-8\tAuckland\tobject[1]|place[2]\tAuckland[2]\t\n1-2\t9-15\tCastle\tobject[1]\t_\t\n"
)


def test_stacks_with_ids_may_lack_unset_values(tmp_path):
    (tmp_path / "d.tsv").write_text(GUM, encoding="utf-8")
    corpus = ga.read(tmp_path / "d.tsv", layers="Referent:entity", annotator="ann")
    assert [*corpus["d"].units()] == [("ann", 0, 8, "place"), ("ann", 0, 15, "object")]
    assert any("1 row lacks values of stacked annotations" in note for note in corpus.notes)
    identity = ga.read(tmp_path / "d.tsv", layers="Referent:identity", annotator="ann")
    assert [unit.category for unit in identity["d"].units()] == ["Auckland", None]


@pytest.mark.parametrize("cell", ["Auckland", "Auckland[2]|Castle[2]|place[3]"])
def test_stacks_without_ids_are_a_problem(cell, tmp_path):
    (tmp_path / "d.tsv").write_text(GUM.replace("Auckland[2]", cell), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"line 6: the columns of layer 'webanno.custom.Referent' have \d and \d values"
    ):
        ga.read(tmp_path / "d.tsv", layers="Referent:entity", annotator="ann")


def test_stacked_and_multi_token_annotations(tmp_path):
    corpus = ga.read(saved(tmp_path, tsv(*ONE)))
    assert units(corpus) == [("anna", 0, 7, "A"), ("anna", 5, 7, "B")]
    assert corpus.length_unit == "char"
    assert corpus.texts == ("This is it",)
    assert corpus.extents.tolist() == [[0, 10]]
    assert any("the category of a unit is its feature 'label'" in note for note in corpus.notes)


def test_parts_of_a_unit_may_be_unordered(tmp_path):
    path = saved(tmp_path, tsv("#Text=This is", "1-1 0-4 This _", "1-1.1 2-4 is A[1]", "1-1.2 0-1 T A[1]"))
    assert units(ga.read(path)) == [("anna", 0, 4, "A")]


def test_chain_numbers_are_no_unit_ids(tmp_path):
    text = tsv(
        "#Text=Ada met her", "1-1 0-3 Ada name[1]", "1-3 8-11 her pron[1]", header=("#T_CH=x.Link|referenceType",)
    )
    assert units(ga.read(saved(tmp_path, text))) == [("anna", 0, 3, "name"), ("anna", 8, 11, "pron")]


def test_templates_make_folders_annotators(tmp_path):
    saved(tmp_path, tsv(*ONE), "a.txt/anna.tsv")
    saved(tmp_path, tsv("#Text=This is it", "1-1 0-4 This _"), "a.txt/bert.tsv")
    corpus = ga.read(f"{tmp_path}/{{document}}/{{annotator}}.tsv")
    assert corpus["a.txt"].annotators == ("anna", "bert")
    assert [unit.annotator for unit in corpus["a.txt"].units()] == ["anna", "anna"]


def test_a_layer_of_several_features_needs_a_choice(tmp_path):
    header = ("#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value",)
    path = saved(tmp_path, tsv("#Text=This is it", "1-1 0-4 This Q1 PER", "1-2 5-7 is * _", header=header))
    told = r"NamedEntity' has 2 features, 'identifier' \(1 units\), 'value' \(1 units\); .*'NamedEntity:identifier'"
    with pytest.raises(InputError, match=told):
        ga.read(path)
    assert units(ga.read(path, layers="NamedEntity:value")) == [("anna", 0, 4, "PER"), ("anna", 5, 7, None)]
    assert units(ga.read(path, layers="NamedEntity:identifier")) == [("anna", 0, 4, "Q1"), ("anna", 5, 7, None)]
    with pytest.raises(InputError, match=r"no feature 'label' that can be a category; it has 'identifier', 'value'"):
        ga.read(path, layers="NamedEntity:label")


def test_proposed_feature_has_values(tmp_path):
    header = ("#T_SP=a.Entity|identifier|kind|note",)
    path = saved(tmp_path, tsv("#Text=This is it", "1-1 0-4 This * PER x", "1-2 5-7 is * LOC *", header=header))
    told = r"'identifier' \(0 units\), 'kind' \(2 units\), 'note' \(1 units\); say .* layers='Entity:kind'"
    with pytest.raises(InputError, match=told):
        ga.read(path)
    assert units(ga.read(path, layers="Entity:kind")) == [("anna", 0, 4, "PER"), ("anna", 5, 7, "LOC")]
    note = "layer 'a.Entity': 1 of 2 units have no 'note', and no category"
    assert note in ga.read(path, layers="Entity:note").notes


def test_several_layers_need_a_choice_before_features_do(tmp_path):
    header = ("#T_SP=a.Entity|identifier|value", "#T_SP=b.Chunk|kind")
    path = saved(tmp_path, tsv("#Text=This is", "1-1 0-4 This Q1 PER _", "1-2 5-7 is _ _ NP", header=header))
    with pytest.raises(InputError, match=r"units in 2 layers: a\.Entity \(1 units\), b\.Chunk \(1 units\)"):
        ga.read(path)
    assert units(ga.read(path, layers="Chunk")) == [("anna", 5, 7, "NP")]
    with pytest.raises(InputError, match=r"no layer 'Nope'; there are a\.Entity \(1 units\), b\.Chunk \(1 units\)"):
        ga.read(path, layers="Nope")
    assert units(ga.read(path, layers={"Entity": "value", "*": None})) == [
        ("anna", 0, 4, "PER"),
        ("anna", 5, 7, "NP"),
    ]
    assert units(ga.read(path, layers={"a.Entity": "value", "b.Chunk": None}, annotator="{layer}")) == [
        ("a.Entity", 0, 4, "PER"),
        ("b.Chunk", 5, 7, "NP"),
    ]


def test_annotators_that_are_layers_need_their_features(tmp_path):
    header = ("#T_SP=a.Entity|identifier|value", "#T_SP=b.Chunk|kind")
    path = saved(tmp_path, tsv("#Text=This is", "1-1 0-4 This Q1 PER NP", header=header))
    with pytest.raises(InputError, match=r"layer 'a.Entity' has 2 features"):
        ga.read(path, annotator="{layer}")


def test_a_layer_without_units_is_known(tmp_path):
    header = ("#T_SP=a.Entity|value", "#T_SP=b.Chunk|kind")
    path = saved(tmp_path, tsv("#Text=This is", "1-1 0-4 This _ NP", header=header))
    assert units(ga.read(path, layers="Entity")) == []
    assert ga.read(path, layers="Entity").annotators == ("anna",)


def test_relations_and_slots_are_counted_and_left_out():
    corpus = ga.read(SUITE / "testSimpleSlotFeature" / "reference.tsv", layers="SimpleSpan")
    assert "reference.tsv: 2 relations and links of slots are left out" in corpus.notes
    corpus = ga.read(SUITE / "testDependencyWithValues" / "reference.tsv", layers="POS:PosValue")
    assert "reference.tsv: 1 relations and links of slots are left out" in corpus.notes


# --- text, offsets, escapes --------------------------------------------------------------------------------


def test_offsets_are_utf_16_and_become_code_points():
    corpus = ga.read(SUITE / "testSentenceWithEmoji" / "reference.tsv")
    assert corpus.texts == ("I like it 😊 .",)
    assert units(corpus) == [("reference", 10, 11, None)]
    assert ga.read(SUITE / "testSentenceWithEmoji" / "reference.tsv", positions="tokens").start.tolist() == [3]


def test_tokens_are_positions_behind_astral_characters(tmp_path):
    path = saved(tmp_path, tsv("#Text=😊😊 a b", "1-1 0-4 😊😊 _", "1-2 5-6 a A[1]", "1-3 7-8 b A[1]"))
    corpus = ga.read(path, positions="tokens")
    assert units(corpus) == [("anna", 1, 3, "A")]
    assert corpus.extents.tolist() == [[0, 3]]
    assert corpus.length_unit == "token"


def test_offsets_can_be_overridden(tmp_path):
    path = saved(tmp_path, tsv("#Text=😊 a", "1-1 0-1 😊 _", "1-2 2-3 a A", "", "#Text=b", "2-1 4-5 b B"))
    with pytest.raises(InputError, match=r"anna\.tsv, line 7: the unit covers ' ', but the file says 'a'"):
        ga.read(path)
    corpus = ga.read(path, offsets="code-points")
    assert corpus.texts == ("😊 a\nb",)
    assert units(corpus) == [("anna", 2, 3, "A"), ("anna", 4, 5, "B")]


def test_sentences_are_joined_by_their_offsets(tmp_path):
    text = tsv(
        "#Sentence.id=s1", "#Text=one", "1-1 2-5 one A",
        "", "#Text=two", "2-1 5-8 two A",
        "", "#Text=three", "#Text=four", "3-1 9-14 three A", "3-2 15-19 four A",
        "", "#Text=five", "4-1 23-27 five A",
    )  # fmt: skip
    corpus = ga.read(saved(tmp_path, text))
    assert corpus.texts == ("  onetwo\nthree\nfour\n   five",)
    assert [corpus.texts[0][int(unit[1]) : int(unit[2])] for unit in units(corpus)] == [
        "one", "two", "three", "four", "five"
    ]  # fmt: skip


def test_line_ends_of_windows_and_a_byte_order_mark(tmp_path):
    path = saved(tmp_path, "\ufeff" + tsv(*ONE).replace("\n", "\r\n"))
    assert units(ga.read(path)) == [("anna", 0, 7, "A"), ("anna", 5, 7, "B")]


@pytest.mark.parametrize(
    ("version", "written", "text"),
    [
        ("3.3", r"a\tb\\c\u0041 \r\f\b", "a\tb\\c\\u0041 \r\f\b"),
        ("3.1", r"a\tb\\c\u0041 \ud83d\ude0a", "a\tb\\cA 😊"),
        ("3", r"\u0041", "A"),
    ],
)
def test_escapes_of_the_text_depend_on_the_version(tmp_path, version, written, text):
    path = saved(tmp_path, tsv(f"#Text={written}", "1-1 0-1 x _", version=version))
    assert ga.read(path).texts == (text,)


@pytest.mark.parametrize(
    ("cell", "categories"),
    [
        (r"a\|b", ["a|b"]),
        (r"a\\[1]|b[2]", ["a\\", "b"]),
        (r"a\\|b", ["a\\", "b"]),
        (r"a\[1\]", ["a[1]"]),
        (r"a\\\[1]", ["a\\[1]"]),
        (r"\->\;\_\*\t\n", ["->;_*\t\n"]),
        (r"\x\-", ["\\x\\-"]),
        ("a;b->c", ["a;b->c"]),
        ("*|*", [None, None]),
        ("", [""]),
        (r"\*|*", ["*", None]),
    ],
)
def test_escapes_of_values(tmp_path, cell, categories):
    path = saved(tmp_path, tsv("#Text=a") + f"1-1\t0-1\ta\t{cell}\t\n")
    read = [unit.category for unit in ga.read(path)["anna"].units()]
    assert sorted(read, key=str) == sorted(categories, key=str)


# --- what is wrong -----------------------------------------------------------------------------------------

WRONG = {
    "no row": (("#Text=a", "nonsense"), r"line 6: 'nonsense\\t' is no row"),
    "digits without end": (("#Text=a", f"1-1 0-{'9' * 400} a _"), "line 6: .*is no row"),
    "a column too few": (("#Text=a", "1-1 0-1 a"), "line 6: 0 columns of annotations, and the header declares 1"),
    "a column too many": (("#Text=a", "1-1 0-1 a _ _"), "line 6: 2 columns of annotations, and the header declares 1"),
    "an end before its start": (("#Text=abc", "1-1 2-1 a A"), "line 6: the unit ends at 1, before its start 2"),
    "tokens that overlap": (("#Text=abc", "1-1 0-2 ab _", "1-2 1-3 bc _"), "line 7: the token begins at 1, before"),
    "no text": (("1-1 0-1 a _",), "line 5: a row without a line #Text="),
    "a sentence without tokens": (("#Text=a", "", "#Text=b", "1-1 0-1 b _"), "line 5: a sentence without tokens"),
    "a sentence within another": (
        ("#Text=abcdef", "1-1 0-6 abcdef _", "", "#Text=d", "2-1 3-4 d _"),
        "line 9: the sentence begins at 3, within the sentence before, which ends at 6",
    ),
    "a sentence far away": (("#Text=a", "1-1 99999999-100000000 a _"), "line 6: .*far behind the sentence before"),
    "sentences further apart than files are long": (
        ("#Text=a", "1-1 900000-900001 a _", "", "#Text=b", "2-1 1800000-1800001 b _"),
        "line 9: .*far behind the sentence before, at 900001",
    ),
    "another token than the text has": (("#Text=abc", "1-1 0-3 abd A"), r"line 6: the unit covers 'abc', .*'abd'"),
    "one unit of two categories": (
        ("#Text=a b", "1-1 0-1 a A[1]", "1-2 2-3 b B[1]"),
        r"line 7: annotation \[1\] of layer 'custom.Span' has the values B here and A in line 6",
    ),
    "past the end of the text": (("#Text=a", "1-1 0-1 a _", "1-1.1 5-9 b A"), r"line 7: the unit covers ''"),
}


@pytest.mark.parametrize(("lines", "match"), WRONG.values(), ids=WRONG)
def test_invalid_lines_are_refused_with_their_number(tmp_path, lines, match):
    with pytest.raises(InputError, match=rf"anna\.tsv, {match}"):
        ga.read(saved(tmp_path, tsv(*lines)))


def test_units_past_the_text_are_refused_with_their_location(tmp_path):
    path = saved(tmp_path, tsv("#Text=a", "1-1 0-1 a A[1]", "1-2 5-6 b A[1]"))
    with pytest.raises(InputError, match=r"anna\.tsv: 1 unit outside .*\n  line 6: .*\[0, 6\]"):
        ga.read(path)


def test_columns_of_a_layer_have_as_many_values(tmp_path):
    path = saved(tmp_path, tsv("#Text=a", "1-1 0-1 a A|B C", header=("#T_SP=x.Y|a|b",)))
    with pytest.raises(InputError, match=r"line 6: the columns of layer 'x.Y' have 1 and 2 values"):
        ga.read(path, layers="Y:a")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", r"line 1: WebAnno TSV 3 begins with"),
        ("#FORMAT=WebAnno TSV 2\n", r"line 1: WebAnno TSV 3 begins with"),
        (tsv(header=("#T_XX=a|b",)), r"line 2: '#T_XX=a\|b' declares no layer"),
        (tsv(header=("#T_SP=",)), r"line 2: '#T_SP=' declares no layer"),
        (tsv(header=("#T_SP=a|b", "#T_SP=a|c")), r"line 3: layer 'a' is declared twice"),
    ],
)
def test_invalid_files_are_refused(tmp_path, text, match):
    with pytest.raises(InputError, match=rf"anna\.tsv, {match}"):
        ga.read(saved(tmp_path, text), format="webanno-tsv")


def test_all_problems_are_counted(tmp_path):
    with pytest.raises(InputError, match=r"line 5.*\(3 more;"):
        ga.read(saved(tmp_path, tsv("x", "y", "#Text=z", "w")))


def test_all_options_are_refused(tmp_path):
    with pytest.raises(SettingsError, match="webanno-tsv has no option 'curation'"):
        ga.read(saved(tmp_path, tsv(*ONE)), options={"curation": True})


# --- what is written ---------------------------------------------------------------------------------------

# a layer with one feature (or none), tokens that are words, sentences that are lines, annotations stacked in the order
# of their categories: then the writer has no choice, and writes what INCEpTION wrote
SAME = [
    "testCrossSentenceSpanWithFeatureValue",
    "testCrossSentenceSpanWithoutFeatureValue",
    "testMultiTokenSpanWithFeatureValue",
    "testMultiTokenSpanWithoutFeatureValue",
    "testMultiTokenStackedSpanWithoutFeatureValue",
    "testSentenceWithEmoji",
    "testSentenceWithTab",
    "testSingleTokenWithoutFeatureValue",
    "testSubMultiTokenSpanWithoutFeatureValue",
    "testSubMultiTokenSpanWithoutFeatureValue2",
    "testSubMultiTokenSpanWithoutFeatureValue3",
    "testSubTokenPrefix",
    "testTokenBoundedBioLookAlike",
    "testTokenBoundedSpanWithAsteriskFeatureValue",
    "testTokenBoundedSpanWithFeatureValue",
    "testTokenBoundedSpanWithNastyFeatureValue",
    "testTokenBoundedSpanWithSpecialSymbolsValue",
    "testTokenBoundedSpanWithUnderscoreFeatureValue",
    "testTokenBoundedSpanWithoutFeatureValue",
    "testTokenBoundedStackedLookAlike",
    "testTokenBoundedStackedSpanWithFeatureValue",
    "testZeroLengthSpansWithFeatureValues",
    "testZeroLengthSpansWithoutFeatureValues",
    "testZeroLengthSpansWithoutFeatures",
    "testZeroLengthStackedSpansWithoutFeatures",
]


@pytest.mark.parametrize("name", SAME)
def test_written_files_look_like_files_of_inception(tmp_path, name):
    path = SUITE / name / "reference.tsv"
    ga.write(ga.read(path), tmp_path / "out", format="webanno-tsv")
    written = (tmp_path / "out" / "reference" / "reference.tsv").read_bytes()
    assert written == re.sub(rb"#T_SP=\S*", b"#T_SP=custom.Span|label", path.read_bytes())


BLANK_TEXTS = st.text(st.sampled_from("ab  \n\n\t\r\\[]|_😀\x1c\u2028\x0b\x00->*;"), max_size=25)
BLANK_LABELS = st.text(st.sampled_from("ab\\[]1|_->;\t\n*\u2028"), max_size=6)
HELD = st.none() | (BLANK_LABELS | TEXTS).filter(lambda label: "\r" not in label)


@given(
    corpus=corpora_with_texts(
        documents=FILE_NAMES,
        annotators=FILE_NAMES,
        categories=HELD,
        texts=(BLANK_TEXTS | TEXTS).filter(lambda text: text and text[0] != "\ufeff"),
    )
)
def test_corpora_with_texts_survive_a_round_trip(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written") / "new"
    ga.write(corpus, folder, format="webanno-tsv")
    # documents may have one text, so that texts do not tell which folders are annotators
    assert content(ga.read(folder, annotator="{annotator}")) == content(corpus)


def on_text(text, units):
    """Return a corpus of anna, who marked the units, and bert, who marked nothing."""
    corpus = ga.Corpus.from_records(
        [("d", "anna", *unit) for unit in units],
        annotations=[("d", "anna"), ("d", "bert")],
        extents={"d": (0, len(text))},
    )
    return replace(corpus, length_unit="char", texts=(text,))


@pytest.mark.parametrize("text", ["", "   ", "\n", " a", "\ta", "a\n", "a\n\n\n  b", "a \n\t b", "\n\n a"])
def test_texts_with_blanks_survive_a_round_trip(tmp_path, text):
    whole = [(low, high, "x") for low in range(len(text) + 1) for high in range(low, len(text) + 1)] * bool(text)
    for name, units in {"none": [], "all": whole, **{f"{one}": [one] for one in whole}}.items():
        ga.write(on_text(text, units), tmp_path / name, format="webanno-tsv")
        assert content(ga.read(tmp_path / name)) == content(on_text(text, units))


def test_two_lines_are_written_as_two_sentences(tmp_path):
    text = "One two.\n\n 😊 end"
    ga.write(on_text(text, [(0, 7, "A"), (4, 8, None), (12, 13, "B")]), tmp_path / "out", format="webanno-tsv")
    assert (tmp_path / "out" / "anna" / "d.tsv").read_text(encoding="utf-8") == (
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|label\n\n"
        "\n#Text=One two.\n#Text=\n"
        "1-1\t0-3\tOne\tA[1]\t\n"
        "1-2\t4-8\ttwo.\t*\t\n"
        "1-2.1\t4-7\ttwo\tA[1]\t\n"
        "\n#Text=😊 end\n"
        "2-1\t11-13\t😊\t_\t\n"
        "2-2\t13-14\t \tB\t\n"
        "2-3\t14-17\tend\t_\t\n"
    )
    assert (tmp_path / "out" / "bert" / "d.tsv").read_text(encoding="utf-8").count("\t_\t\n") == 5


REFUSED = {
    "a carriage return": (
        on_text("ab", [(0, 1, "x\ry")]),
        r"unit \[0, 1\]: the category 'x\\ry' has a carriage return",
    ),
    "half a character": (on_text("ab", [(0, 1, "\ud800")]), r"the category '\\ud800' has a carriage return or half"),
    "half a unit": (on_text("ab", [(0, 1.5, "x")]), r"unit \[0, 1.5\]: WebAnno TSV counts whole characters"),
    "nowhere": (on_text("", [(0, 0, "x")]), r"unit \[0, 0\]: WebAnno TSV cannot hold a unit in a text without"),
    "no text": (replace(on_text("ab", []), texts=None), "the text of document 'd' is not known"),
    "seconds": (replace(on_text("ab", []), length_unit="s"), "WebAnno TSV counts characters, and the corpus"),
    "another extent": (replace(on_text("ab", []), texts=("abc",)), r"the text, 3 characters, and .* \[0, 2\]"),
}


@pytest.mark.parametrize(("corpus", "match"), REFUSED.values(), ids=REFUSED)
def test_unsupported_corpora_are_refused_before_writing(tmp_path, corpus, match):
    with pytest.raises(InputError, match=match):
        ga.write(corpus, tmp_path / "out", format="webanno-tsv")
    assert not list(tmp_path.iterdir())
