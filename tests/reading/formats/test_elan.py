"""ELAN's files: samples against pympi, slots without times, annotations of annotations, round trips."""

import ast
import re
from dataclasses import replace

import pympi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import FORMATS
from written import FILE_NAMES, content, corpora

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source

SAMPLES = FORMATS
FILES = sorted((SAMPLES / "elan").glob("*.eaf"))
HEADER = '<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>'
KINDS = """
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="free" TIME_ALIGNABLE="true"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="part" CONSTRAINTS="Time_Subdivision" TIME_ALIGNABLE="true"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="same" CONSTRAINTS="Symbolic_Association" TIME_ALIGNABLE="false"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="share" CONSTRAINTS="Symbolic_Subdivision" TIME_ALIGNABLE="false"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="coded" CONTROLLED_VOCABULARY_REF="moods" TIME_ALIGNABLE="true"/>
<CONTROLLED_VOCABULARY CV_ID="moods">
  <CV_ENTRY_ML CVE_ID="m1">
    <CVE_VALUE LANG_REF="eng">glad</CVE_VALUE><CVE_VALUE LANG_REF="deu">froh</CVE_VALUE>
  </CV_ENTRY_ML>
  <CV_ENTRY_ML CVE_ID="m2"><CVE_VALUE LANG_REF="eng">sad</CVE_VALUE></CV_ENTRY_ML>
</CONTROLLED_VOCABULARY>
<CONTROLLED_VOCABULARY CV_ID="hues">
  <CV_ENTRY_ML CVE_ID="m1"><CVE_VALUE LANG_REF="eng">red</CVE_VALUE></CV_ENTRY_ML>
</CONTROLLED_VOCABULARY>
"""


def slots(*times):
    """Return a time order: ts1, ts2, … with these times, `None` without one."""
    each = (
        f'<TIME_SLOT TIME_SLOT_ID="ts{number}"' + ("/>" if time is None else f' TIME_VALUE="{time}"/>')
        for number, time in enumerate(times, 1)
    )
    return f"<TIME_ORDER>{''.join(each)}</TIME_ORDER>"


def tier(name, *annotations, kind="free", extra=""):
    inside = "".join(f"<ANNOTATION>{annotation}</ANNOTATION>\n" for annotation in annotations)
    return f'<TIER LINGUISTIC_TYPE_REF="{kind}" TIER_ID="{name}" {extra}>\n{inside}</TIER>\n'


def at(name, first, last, value, extra=""):
    """Return an annotation between two time slots."""
    return (
        f'<ALIGNABLE_ANNOTATION ANNOTATION_ID="{name}" TIME_SLOT_REF1="ts{first}" TIME_SLOT_REF2="ts{last}" {extra}>'
        f"<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION>"
    )


def of(name, parent, value, previous=None):
    """Return an annotation of another."""
    behind = "" if previous is None else f'PREVIOUS_ANNOTATION="{previous}"'
    return (
        f'<REF_ANNOTATION ANNOTATION_ID="{name}" ANNOTATION_REF="{parent}" {behind}>'
        f"<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE></REF_ANNOTATION>"
    )


def saved(folder, *parts, name="talk.eaf", header=HEADER):
    path = folder / name
    text = f"<ANNOTATION_DOCUMENT>\n{header}\n{''.join(parts)}{KINDS}</ANNOTATION_DOCUMENT>\n"
    path.write_text(text, encoding="utf-8")
    return path


def spans(corpus, annotator=None):
    """Return (start, end, category), of one annotator or all."""
    (document,) = corpus.documents
    return [tuple(unit[1:]) for unit in corpus[document].units() if annotator in (None, unit.annotator)]


# --- samples -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_samples_are_read_as_pympi_reads_them(path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stderr", None)
        eaf = pympi.Elan.Eaf(str(path))
    for name in eaf.get_tier_names():
        its = [annotation[:3] for annotation in eaf.get_annotation_data_for_tier(name)]
        expected = [(begin / 1000, end / 1000, value or None) for begin, end, value in its]
        corpus = ga.read(path, layers=name, annotator="me")
        assert sorted(spans(corpus), key=str) == sorted(expected, key=str), name


@pytest.mark.parametrize(
    ("name", "units", "unlabelled", "extent"),
    [
        ("MaureenMarvinRobin", 4, 0, (1.006, 5.781)),
        ("example", 712, 0, (3.15, 300.113)),
        ("example_solis", 514, 30, (1920, 52680)),
    ],
)
def test_samples_have_the_expected_units(name, units, unlabelled, extent):
    corpus = ga.read(SAMPLES / "elan" / f"{name}.eaf", layers="*", annotator="me")
    assert (corpus.n_units, (corpus.category == -1).sum(), corpus[name].extent) == (units, unlabelled, extent)
    assert corpus.length_unit == "s"


def test_tiers_without_annotator_need_a_pattern_or_take_the_file_name():
    path = SAMPLES / "elan" / "MaureenMarvinRobin.eaf"
    corpus = ga.read(path, annotator="{layer}", layers=["Maureen", "Marvin", "Robin"])
    assert corpus["MaureenMarvinRobin"].annotators == ("Marvin", "Maureen", "Robin")
    assert spans(corpus, "Maureen") == [(1.006, 1.896, "S"), (3.738, 4.926, "S")]
    alone = ga.read(path, layers="Maureen")
    assert alone.annotators == ("MaureenMarvinRobin",)
    note = (
        "MaureenMarvinRobin.eaf: tier 'Maureen' has no ANNOTATOR attribute, so all units are taken as those of "
        "'MaureenMarvinRobin'; give it one in ELAN"
    )
    assert note in " ".join(alone.notes)


def test_participants_and_names_of_tiers_can_be_annotators():
    path = SAMPLES / "elan" / "example.eaf"
    by_name = ga.read(path, layers="xds", options={"tiers": "{layer}@{annotator}", "annotator": "participant"})
    assert by_name["example"].annotators == ("CHI", "FA1", "FA2", "UC1", "UC2", "UC3")
    assert len(spans(by_name, "FA1")) == 91
    by_participant = ga.read(path, layers="mwu", options={"annotator": "participant"})
    assert len(spans(by_participant, "CHI")) == by_participant.n_units == 120


def test_other_samples_do_not_match_elan():
    files = [path for path in SAMPLES.rglob("*") if path.is_file()]
    assert sorted(path for path in files if formats.by_name("elan").matches(Source(path, path.name).head)) == FILES


# --- what is read --------------------------------------------------------------------------------------------


def test_tier_has_annotator_and_layer(tmp_path):
    path = saved(
        tmp_path,
        slots(0, 500, 500, 1250),
        tier("talk@anna", at("a1", 1, 2, "x"), at("a2", 3, 4, ""), extra='ANNOTATOR="anna"'),
        tier("talk@anna (2)", at("a3", 1, 4, "y"), extra='ANNOTATOR="anna"'),
        tier("talk@bert", extra='ANNOTATOR="bert"'),
        tier("talk", at("a4", 2, 4, "x"), extra='ANNOTATOR="cleo"'),
    )
    corpus = ga.read(path)
    assert corpus["talk"].annotators == ("anna", "bert", "cleo")
    assert spans(corpus, "anna") == [(0, 0.5, "x"), (0, 1.25, "y"), (0.5, 1.25, None)]
    assert spans(corpus, "cleo") == [(0.5, 1.25, "x")]
    assert any("tiers of one name are read as one: 2 'talk@anna'" in note for note in corpus.notes)


def test_layers_are_selected_and_listed(tmp_path):
    path = saved(
        tmp_path,
        slots(0, 500),
        tier("hands", at("a1", 1, 2, "x")),
        tier("eyes", at("a2", 1, 2, "y"), at("a3", 1, 2, "z")),
    )
    with pytest.raises(InputError, match=r"units in 2 layers: eyes \(2 units\), hands \(1 units\)"):
        ga.read(path, annotator="me")
    assert spans(ga.read(path, layers="hands", annotator="me")) == [(0, 0.5, "x")]


def test_tiers_without_annotator_are_noted_if_other_tiers_have_one(tmp_path):
    path = saved(
        tmp_path,
        slots(0, 500),
        tier("a", at("a1", 1, 2, "x"), extra='ANNOTATOR="anna"'),
        tier("b", at("a2", 1, 2, "y"), extra='ANNOTATOR=""'),
    )
    path = path.rename((tmp_path / "bert").mkdir() or tmp_path / "bert" / "talk.eaf")
    corpus = ga.read(f"{tmp_path}/{{_}}/{{document}}.eaf", layers="*", annotator="{layer}")
    assert corpus["talk"].annotators == ("a", "b")
    assert any("tiers (1) do not say their annotator" in note for note in corpus.notes)
    assert path.is_file()


def in_folders(folder, **extra):
    """Write a file of two tiers for each annotator, in folders, with more attributes of the first tier."""
    for number, (name, attributes) in enumerate(extra.items(), 1):
        (folder / name).mkdir(parents=True)
        parts = [tier("talk", at("a1", 1, 2, f"x{number}"), extra=attributes), tier("eyes", at("a2", 1, 2, "y"))]
        saved(folder / name, slots(0, 500 * number), *parts)
    return folder


def test_folders_are_annotators_if_tiers_name_none(tmp_path):
    folder = in_folders(tmp_path / "corpus", anna="", ben='ANNOTATOR=" "')
    corpus = ga.read(folder, layers="talk")
    assert corpus.documents == ("talk",)
    assert [(unit.annotator, unit.end) for unit in corpus["talk"].units()] == [("anna", 0.5), ("ben", 1)]
    assert "corpus: each folder is taken for an annotator: anna, ben" in corpus.notes
    by_tier = ga.read(folder, annotator="{layer}")
    assert by_tier.documents == ("anna/talk", "ben/talk")
    assert by_tier["anna/talk"].annotators == ("eyes", "talk")


def test_only_selected_tiers_need_an_annotator(tmp_path):
    folder = in_folders(tmp_path / "corpus", one='ANNOTATOR="anna"', two='ANNOTATOR="ben"')
    corpus = ga.read(folder, layers="talk")
    assert {name: corpus[name].annotators for name in corpus} == {"one/talk": ("anna",), "two/talk": ("ben",)}
    with pytest.raises(InputError, match=r"^one/talk\.eaf: tier 'eyes' has no ANNOTATOR attribute"):
        ga.read(folder, layers="*")
    with pytest.raises(InputError, match=r"^one/talk\.eaf: tier 'eyes' has no ANNOTATOR attribute"):
        ga.read(folder, layers="eyes")


@pytest.mark.parametrize("attributes", [("", ""), ('ANNOTATOR="anna"', 'ANNOTATOR="ben"')])
def test_dependent_tiers_read_as_other_annotators_are_noted(tmp_path, attributes):
    path = saved(
        tmp_path,
        slots(0, 500, 900),
        tier("talk", at("a1", 1, 3, "x"), extra=attributes[0]),
        tier("words", at("a2", 1, 2, "y"), extra=f'PARENT_REF="talk" {attributes[1]}'),
        tier("other", at("a3", 1, 3, "x"), extra='ANNOTATOR="cy"'),
    )
    message = (
        "talk.eaf: tiers (1) depend on others (PARENT_REF), and are read as of other annotators: 'words' on 'talk'; if"
    )
    by_layer = {} if attributes[0] else {"annotator": "{layer}"}
    assert message in " ".join(ga.read(path, layers="*", **by_layer).notes)
    assert "PARENT_REF" not in " ".join(ga.read(path, layers=["talk", "other"], **by_layer).notes)


def test_cures_for_tiers_without_annotator_work(tmp_path):
    (tmp_path / "anna").mkdir()
    transcript = tier("Transcript", at("a1", 1, 2, "x"), extra='PARTICIPANT="Eve"')
    path = saved(tmp_path / "anna", slots(0, 500), transcript)
    with pytest.raises(
        InputError, match=r"tier 'Transcript' has no ANNOTATOR attribute; give it one in ELAN"
    ) as caught:
        ga.read(f"{path.parent}/{{document}}.eaf")
    for cure in (
        "with annotator=,",
        "annotator='{layer}'",
        "options={'annotator': 'participant'}",
        "'{annotator}/{document}.eaf'",
    ):
        assert cure in str(caught.value)
    assert ga.read(path, annotator="NAME").annotators == ("NAME",)
    assert ga.read(path, annotator="{layer}").annotators == ("Transcript",)
    assert ga.read(path, options={"annotator": "participant"}).annotators == ("Eve",)
    assert ga.read(f"{tmp_path}/{{annotator}}/{{document}}.eaf").annotators == ("anna",)
    saved(tmp_path / "anna", slots(0, 500), transcript.replace('PARTICIPANT="Eve"', 'ANNOTATOR="Ida"'))
    assert ga.read(path).annotators == ("Ida",)


def two_tiers(folder, *annotators):
    attributes = [f'ANNOTATOR="{name}"' if name else "" for name in annotators]
    parts = [tier(f"tier{number}", at(f"a{number}", 1, 2, "x"), extra=extra) for number, extra in enumerate(attributes)]
    return saved(folder, slots(0, 900), *parts)


def test_a_name_for_all_tiers_holds_for_tiers_without_an_annotator_too(tmp_path):
    path = two_tiers(tmp_path, "", "someone")
    with pytest.raises(InputError, match=r"no ANNOTATOR attribute; .*name the annotator with"):
        ga.read(path, layers="*")
    corpus = ga.read(path, layers="*", annotator="mira")
    assert corpus.annotators == ("mira",)
    assert corpus.n_units == 2


@pytest.mark.parametrize("annotators", [("", "ada", "bob"), ("ada", "", "bob"), ("ada", "bob", "")])
def test_one_name_for_two_annotators_is_refused_and_the_cure_works(tmp_path, annotators):
    path = two_tiers(tmp_path, *annotators)
    with pytest.raises(InputError, match="annotators 'ada' and 'bob' would both be annotator 'mira'") as raised:
        ga.read(path, layers="*", annotator="mira")
    layers = ast.literal_eval(re.findall(r"layers=(\[.*?\])", str(raised.value))[0])
    assert ga.read(path, layers=layers, annotator="{annotator}").annotators == ("ada", "bob")


def test_slots_without_a_time_are_spaced_evenly(tmp_path):
    path = saved(
        tmp_path,
        slots(None, 100, None, None, 400, None),
        tier("t", at("a1", 1, 2, "a"), at("a2", 2, 3, "b"), at("a3", 3, 4, "c"), at("a4", 4, 5, "d")),
    )
    corpus = ga.read(path, annotator="me")
    assert spans(corpus) == [(0.05, 0.1, "a"), (0.1, 0.2, "b"), (0.2, 0.3, "c"), (0.3, 0.4, "d")]
    assert any("time slots without a time (3) are placed evenly" in note for note in corpus.notes)


def test_slots_of_a_dependent_tier_are_spaced_within_its_annotations(tmp_path):
    # in the order of the slots, ts3 is after ts2 (200 ms) of another tier; its own chain goes from 0 to 900 ms
    path = saved(
        tmp_path,
        slots(0, 200, None, None, 900),
        tier("top", at("a1", 1, 5, "p")),
        tier("other", at("a5", 1, 2, "o")),
        tier(
            "sub", at("a2", 1, 3, "a"), at("a3", 3, 4, "b"), at("a4", 4, 5, "c"), kind="part", extra='PARENT_REF="top"'
        ),
    )
    corpus = ga.read(path, layers="sub", annotator="me")
    assert spans(corpus) == [(0, 0.3, "a"), (0.3, 0.6, "b"), (0.6, 0.9, "c")]


def test_dependent_tier_divides_interpolated_time(tmp_path):
    path = saved(
        tmp_path,
        slots(0, None, None, 900),
        tier("sub", at("a3", 1, 2, "a"), at("a4", 2, 3, "b"), kind="part", extra='PARENT_REF="top"'),
        tier("top", at("a1", 1, 3, "p"), at("a2", 3, 4, "q")),
    )
    corpus = ga.read(path, layers="*", annotator="me")
    assert spans(corpus) == [(0, 0.3, "a"), (0, 0.6, "p"), (0.3, 0.6, "b"), (0.6, 0.9, "q")]


def test_annotations_of_annotations_have_their_time_or_a_share(tmp_path):
    path = saved(
        tmp_path,
        slots(0, 900, 1000, 2000),
        tier("top", at("a1", 1, 2, "one two three"), at("a2", 3, 4, "four")),
        tier("tag", of("a3", "a1", "NP"), of("a4", "a2", "N"), kind="same", extra='PARENT_REF="top"'),
        tier(
            "word",
            of("a7", "a1", "three", "a6"),
            of("a5", "a1", "one"),
            of("a6", "a1", "two", "a5"),
            of("a8", "a2", "four"),
            kind="share",
            extra='PARENT_REF="top"',
        ),
        tier("gloss", of("a9", "a6", "2"), kind="same", extra='PARENT_REF="word"'),
    )
    corpus = ga.read(path, layers="*", annotator="me")
    assert spans(ga.read(path, layers="tag", annotator="me")) == [(0, 0.9, "NP"), (1, 2, "N")]
    words = [(0, 0.3, "one"), (0.3, 0.6, "two"), (0.6, 0.9, "three"), (1, 2, "four")]
    assert spans(ga.read(path, layers="word", annotator="me")) == words
    assert spans(ga.read(path, layers="gloss", annotator="me")) == [(0.3, 0.6, "2")]
    assert any("divide another symbolically (3) have equal shares" in note for note in corpus.notes)


def test_shares_follow_the_order_of_references(tmp_path):
    path = saved(
        tmp_path,
        slots(0, 900),
        tier("top", at("a1", 1, 2, "p")),
        tier("w", of("a2", "a1", "x", "a3"), of("a3", "a1", "y", "a2"), of("a4", "a1", "z"), kind="share"),
    )
    assert spans(ga.read(path, layers="w", annotator="me")) == [(0, 0.3, "z"), (0.3, 0.6, "x"), (0.6, 0.9, "y")]


def test_controlled_vocabulary_provides_the_values(tmp_path):
    path = saved(
        tmp_path,
        slots(0, 500, 1000),
        tier("a", at("a1", 1, 2, "glad", 'CVE_REF="m1"'), at("a2", 2, 3, "SAD", 'CVE_REF="m2"'), kind="coded"),
        tier("b", at("a3", 1, 2, "froh", 'CVE_REF="m1"'), kind="coded", extra='LANG_REF="deu"'),
        tier("c", at("a4", 1, 2, "lost", 'CVE_REF="m9"'), at("a5", 2, 3, "free", 'CVE_REF="m1"')),
    )
    corpus = ga.read(path, annotator="{layer}")
    assert spans(corpus, "a") == [(0, 0.5, "glad"), (0.5, 1, "sad")]
    assert spans(corpus, "b") == [(0, 0.5, "froh")]
    assert spans(corpus, "c") == [(0, 0.5, "lost"), (0.5, 1, "free")]
    assert any("annotations (1) have another value than the entry" in note for note in corpus.notes)


def test_blank_annotations_are_skipped(tmp_path):
    parts = tier("units", at("a1", 1, 2, " "), at("a2", 1, 2, ""), at("a3", 1, 2, "x"))
    corpus = ga.read(saved(tmp_path, slots(0, 1000), parts), annotator="me")
    assert spans(corpus) == [(0, 1, None), (0, 1, "x")]
    assert "talk.eaf: 1 intervals labelled with blanks alone are no units" in corpus.notes


def test_the_origin_of_media_is_noted_and_not_added(tmp_path):
    header = '<HEADER><MEDIA_DESCRIPTOR MEDIA_URL="a.wav" TIME_ORIGIN="1500"/></HEADER>'
    corpus = ga.read(saved(tmp_path, slots(0, 500), tier("t", at("a1", 1, 2, "x")), header=header), annotator="me")
    assert spans(corpus) == [(0, 0.5, "x")]
    assert any("begins at 1500 ms" in note and "not added" in note for note in corpus.notes)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([slots(0, 500), tier("t", at("a1", 1, 9, "x"))], r"line 4: .* between time slots 'ts1' and 'ts9'"),
        ([slots(0, None), tier("t", at("a1", 1, 2, "x"))], r"line 4: .* no time before and behind it; give it a time"),
        ([slots(900, 500), tier("t", at("a1", 1, 2, "x"))], r"line 4: the unit ends at 0.5, before its start 0.9"),
        ([slots(0, "x"), tier("t")], r"line 3: the time of slot 'ts2' is 'x', not whole milliseconds"),
        ([slots(0, "1.5"), tier("t")], r"line 3: the time of slot 'ts2' is '1.5', not whole milliseconds"),
        ([slots(0, "9" * 400), tier("t")], r"line 3: the time of slot 'ts2' is '9{40}', not"),
        ([slots(0, 5).replace("ts2", "ts1"), tier("t")], r"line 3: the time slot 'ts1' is there twice"),
        ([slots(0, 5), tier("t", of("a1", "a7", "x"))], r"line 4: the annotation is of 'a7', which is not there"),
        ([slots(0, 5), tier("t", of("a1", "a2", "x"), of("a2", "a1", "y"))], r"line 4: the annotation is of 'a2'"),
        ([slots(0, 5), tier("t", at("a1", 1, 2, "x"), at("a1", 1, 2, "y"))], r"line 5: line 4 has the id 'a1' too"),
        ([slots(0, 5), tier("t", "<SCRIBBLE/>")], r"line 4: 'SCRIBBLE' is no annotation"),
        ([slots(0, 5), tier("")], r"line 3: the tier has no TIER_ID"),
    ],
)
def test_invalid_lines_are_refused_with_their_number(tmp_path, parts, message):
    with pytest.raises(InputError, match=rf"talk.eaf, {message}"):
        ga.read(saved(tmp_path, *parts), annotator="me")


def test_other_time_units_and_root_elements_are_refused(tmp_path):
    header = '<HEADER TIME_UNITS="PAL-frames"/>'
    with pytest.raises(InputError, match="line 2: the times are 'PAL-frames', and only milliseconds are read"):
        ga.read(saved(tmp_path, slots(0), header=header))
    path = tmp_path / "other.eaf"
    path.write_text("<x/>", encoding="utf-8")
    with pytest.raises(InputError, match=r"other\.eaf, line 1: the element is x, not ANNOTATION_DOCUMENT"):
        ga.read(path, format="elan")


def test_options_are_checked(tmp_path):
    path = saved(tmp_path, slots(0))
    with pytest.raises(SettingsError, match=r"the option 'annotator' is .*; it is 'tier'"):
        ga.read(path, options={"annotator": "tier"})
    with pytest.raises(SettingsError, match="elan has no option 'speaker'"):
        ga.read(path, options={"speaker": "x"})


def test_long_chains_of_annotations_are_read_quickly(tmp_path):
    n = 10_000
    path = saved(
        tmp_path,
        slots(0, *[None] * (n - 1), n),
        tier("top", at("p", 1, n + 1, "p")),
        tier("sub", *(at(f"a{i}", i, i + 1, "x") for i in range(1, n + 1)), kind="part", extra='PARENT_REF="top"'),
        tier("deep", *(of(f"b{i}", f"b{i - 1}" if i else "p", "y") for i in range(n)), kind="same"),
    )
    corpus = ga.read(path, layers="*", annotator="me")
    assert corpus.n_units == 2 * n + 1
    assert spans(ga.read(path, layers="sub", annotator="me"))[-1] == (pytest.approx(9.999), 10, "x")


# --- what is written -----------------------------------------------------------------------------------------


@pytest.fixture
def corpus():
    return ga.Corpus.from_records(
        [
            ("d/1", "anna", 0.1, 0.7, "a & <b>"),
            ("d/1", "anna", 0.1, 0.7, "a & <b>"),
            ("d/1", "anna", 0.3, 0.9, ' c\n\r\td" '),
            ("d/1", "anna", 0.7, 0.8, None),
            ("d 2", 'bert "b" (2)', 0, 1.001, "é😊"),
        ],
        annotations=[("d/1", "anna"), ("d/1", 'bert "b" (2)'), ("d 2", 'bert "b" (2)'), ("d 2", 'bert "b"')],
        extents={"d/1": (0, 1.1), "d 2": (-3.5, 4.25)},
    )


def test_written_files_are_read_back_unchanged(corpus, tmp_path):
    ga.write(corpus, tmp_path / "out", format="elan")
    files = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.eaf"))
    assert files == ["d 2.eaf", "d/1.eaf"]
    assert content(ga.read(tmp_path / "out")) == content(replace(corpus, length_unit="s"))


def test_pympi_reads_written_files(corpus, tmp_path):
    ga.write(corpus, tmp_path / "out", format="elan")
    eaf = pympi.Elan.Eaf(str(tmp_path / "out" / "d" / "1.eaf"))
    actual = {name: eaf.get_annotation_data_for_tier(name) for name in eaf.get_tier_names()}
    assert actual == {
        "units@anna": [(100, 700, "a & <b>"), (700, 800, "")],
        "units@anna (2)": [(100, 700, "a & <b>")],
        "units@anna (3)": [(300, 900, ' c\n\r\td" ')],
        'units@bert "b" (2)': [],
    }
    assert [eaf.tiers[name][2]["ANNOTATOR"] for name in actual] == ["anna"] * 3 + ['bert "b" (2)']
    assert list(eaf.timeslots.values()) == sorted(eaf.timeslots.values())  # as ELAN wants them


XML = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff", include_characters="\t\n\r"),
    min_size=1,
    max_size=8,
)


@given(
    corpora(
        documents=FILE_NAMES,
        annotators=XML.filter(str.strip),
        bounds=st.integers(0, 2**32 - 1).map(lambda ms: ms / 1000),
        categories=st.none() | XML.filter(str.strip),
        length_units=st.just("s"),
    )
)
def test_corpora_in_milliseconds_survive_a_round_trip(tmp_path_factory, corpus):
    folder = tmp_path_factory.mktemp("eaf") / "out"
    if (corpus.start == corpus.end).any():
        with pytest.raises(InputError, match="ELAN has no annotations of no length"):
            ga.write(corpus, folder, format="elan")
        return
    ga.write(corpus, folder, format="elan")
    assert content(ga.read(folder)) == content(corpus)


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        (("d", "a", 0, 0.0005, "x"), r"unit \[0, 0.0005\]: ELAN's times are whole milliseconds"),
        (("d", "a", 0.1 + 0.2, 1, "x"), "ELAN's times are whole milliseconds"),
        (("d", "a", -1, 1, "x"), r"unit \[-1, 1\]: ELAN's times are from 0 to 4294967295 milliseconds; write"),
        (("d", "a", 0, 1e300, "x"), "ELAN's times are from 0 to 4294967295 milliseconds; write"),
        (("d", "a", 1, 1, "x"), r"unit \[1, 1\]: ELAN has no annotations of no length"),
        (("d", "a", 0, 1, ""), "the category is '', which is none for ELAN"),
        (("d", "a", 0, 1, "\t"), r"the category is '\\t', which is none for ELAN"),
        (("d", "a", 0, 1, "x\0"), r"unit \[0, 1\]: the category 'x\\x00' has the character '\\x00', which XML has not"),
        (("d", "a\ud800", 0, 1, "x"), "the name .* which XML has not"),
        (("../d", "a", 0, 1, "x"), r"document '../d'"),
    ],
)
def test_corpora_that_elan_cannot_hold_are_refused(tmp_path, unit, message):
    with pytest.raises(InputError, match=message):
        ga.write(ga.Corpus.from_records([unit]), tmp_path / "out", format="elan")
    assert list(tmp_path.iterdir()) == []


def test_documents_without_annotators_and_other_units_of_length_are_refused(tmp_path):
    nobody = ga.Corpus.from_records([("d", "a", 0, 1, "x")], annotations=[("d", "a")], documents=["d", "e"])
    with pytest.raises(InputError, match="document 'e' has no annotators, which ELAN cannot hold"):
        ga.write(nobody, tmp_path / "out", format="elan")
    tokens = replace(ga.Corpus.from_records([("d", "a", 0, 1, "x")]), length_unit="token")
    with pytest.raises(InputError, match="ELAN counts seconds, and the corpus counts in 'token'"):
        ga.write(tokens, tmp_path / "out", format="elan")
