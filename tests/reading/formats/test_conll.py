"""CoNLL: units as in conlleval, columns and documents, and the tokens of several annotators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import FORMATS

from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.tags import Decoder
from gamma_align.reading.read import read

SAMPLE = FORMATS / "conll_iob" / "en_ewt_dev_head.iob2"


def saved(folder, text, name="anna.conll"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def records(corpus):
    return [(name, *unit) for name in corpus for unit in corpus[name].units()]


def lines_of(*sentences):
    """Sentences of "word/TAG word/TAG" as lines."""
    return "\n".join("".join(f"{word.replace('/', chr(9))}\n" for word in sentence.split()) for sentence in sentences)


# --- the sample --------------------------------------------------------------------------------------------


def sample_definition():
    """The units of the sample: (document, first token, tokens, category), by its lines alone (it is IOB2)."""
    units, index, document = [], 0, None
    for line in SAMPLE.read_text(encoding="utf-8").split("\n"):
        if line.startswith("# newdoc id = "):
            document, index = line.removeprefix("# newdoc id = "), 0
        cells = line.split("\t")
        if len(cells) == 5:
            if cells[2].startswith("B-"):
                units.append([document, index, index + 1, cells[2][2:]])
            elif cells[2].startswith("I-"):
                units[-1][2] += 1
            index += 1
    return units


def test_sample_has_the_expected_units():
    corpus = read(SAMPLE, annotator="stephen")
    assert records(corpus) == [(doc, "stephen", start, end, label) for doc, start, end, label in sample_definition()]
    assert corpus.n_units == 13  # as grep -c 'B-' counts
    assert corpus["answers-20070404104007AAY1Chs_ans"].extent == (0, 139)
    assert corpus.length_unit == "token"
    assert "en_ewt_dev_head.iob2: tokens are in column 2, tags in column 3: IOB2" in corpus.notes


def test_other_formats_do_not_match_conll():
    taken = [
        path.name
        for path in sorted(FORMATS.rglob("*"))
        if path.is_file() and formats.formats()["conll"].matches(Source(path, path.name).head)
    ]
    assert taken == [SAMPLE.name]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("alice.ac", "Here I stand, O reader\n"),
        ("letter.txt", "Here I stand\nThere I sit\n"),
        ("corpus.jsonl", '{"text": "where I am"}\n'),
        ("marvin.rttm", "SPEAKER talk 1 0.2 3.1 <NA> <NA> S <NA> <NA>\nSPEAKER talk 1 4 2 <NA> <NA> S <NA> <NA>\n"),
        ("groups.txt", "1 B-1 x\n2 S-2 y\n"),
    ],
)
def test_words_like_tags_do_not_match_conll(tmp_path, name, text):
    source = Source(saved(tmp_path, text, name), name)
    assert "conll" not in [fmt.name for fmt in formats.matching_formats(source.head)]


@pytest.mark.parametrize("name", ["anna.txt", "anna.tsv", "anna"])
def test_tags_with_o_match_conll_with_any_suffix(tmp_path, name):
    corpus = read(saved(tmp_path, "Ada B-PER\nsleeps O\n", name))
    assert records(corpus) == [("anna", "anna", 0, 1, "PER")]


# --- tags to units -----------------------------------------------------------------------------------------

TAGS = st.lists(
    st.sampled_from(["O", "O", *[f"{prefix}-{kind}" for prefix in "BIESLUM" for kind in "XY"]]), max_size=12
)


def decoded(tags, scheme=None):
    decoder = Decoder(scheme)
    units = [unit for index, tag in enumerate(tags) for unit in decoder.tag(index, tag, index + 1)]
    units += decoder.end(len(tags))
    return [unit[:3] for unit in units], decoder


def starts_definition(before, tag):
    """Whether a chunk begins with a tag, as conlleval's startOfChunk (extended to L, U and M)."""
    (last, kind), (prefix, its) = before, tag
    if prefix in "BSU":
        return True
    if last in ("E", "S", "L", "U", "O") and prefix in "EIML":
        return True
    return prefix != "O" and kind != its


def ends_definition(before, tag):
    """Whether a chunk ends before a tag, as conlleval's endOfChunk."""
    (last, kind), (prefix, its) = before, tag
    return last != "O" and (last in "ESLU" or prefix in "BSUO" or kind != its)


def decoded_definition(tags):
    pairs = [(tag[:1], tag[2:]) for tag in tags]
    units, begun, before = [], None, ("O", "")
    for index, tag in enumerate([*pairs, ("O", "")]):
        if begun is not None and ends_definition(before, tag):
            units.append((begun, index, before[1]))
            begun = None
        if index < len(pairs) and starts_definition(before, tag):
            begun = index
        before = tag
    return units


@given(TAGS)
def test_units_agree_with_conlleval(tags):
    assert decoded(tags)[0] == decoded_definition(tags)


UNITS = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3), st.sampled_from("XY")), min_size=1, max_size=6)
SCHEMES = {
    "iob1": lambda size, adjacent: ["B" if adjacent else "I", *"I" * (size - 1)],
    "iob2": lambda size, _: ["B", *"I" * (size - 1)],
    "bioes": lambda size, _: ["S"] if size == 1 else ["B", *"I" * (size - 2), "E"],
    "bilou": lambda size, _: ["U"] if size == 1 else ["B", *"I" * (size - 2), "L"],
    "bmes": lambda size, _: ["S"] if size == 1 else ["B", *"M" * (size - 2), "E"],
}


@pytest.mark.parametrize("scheme", SCHEMES)
@given(sizes=UNITS)
def test_units_in_each_scheme_are_read_back_without_repair(scheme, sizes):
    tags, units, last = [], [], None
    for gap, size, kind in sizes:
        tags += ["O"] * gap
        adjacent = last == (kind, len(tags))
        units.append((len(tags), len(tags) + size, kind))
        tags += [f"{prefix}-{kind}" for prefix in SCHEMES[scheme](size, adjacent)]
        last = (kind, len(tags))
    actual, decoder = decoded(tags, scheme)
    assert actual == units
    assert decoder.repaired() == 0
    if any(size > 2 for _, size, _ in sizes):  # shorter ones are the same in several schemes
        assert decoder.scheme() == scheme


ODD = {
    "an orphan in IOB2": ("a/B-X b/O c/I-X d/I-X", [(0, 1, "X"), (2, 4, "X")], "IOB2", 1),
    "another category in IOB2": ("a/B-X b/I-Y", [(0, 1, "X"), (1, 2, "Y")], "IOB2", 1),
    "an orphan in BIOES": ("a/S-X b/O c/I-X d/E-X", [(0, 1, "X"), (2, 4, "X")], "BIOES", 1),
    "no end in BIOES": ("a/S-X b/O c/B-X d/I-X", [(0, 1, "X"), (2, 4, "X")], "BIOES", 1),
    "neither in BILOU": ("a/U-X b/O c/I-X", [(0, 1, "X"), (2, 3, "X")], "BILOU", 1),
    "IOB1": ("a/I-X b/I-X c/B-X d/O e/I-Y", [(0, 2, "X"), (2, 3, "X"), (4, 5, "Y")], "IOB1", 0),
    "no category": ("a/B b/I c/O d/B", [(0, 2, None), (3, 4, None)], "IOB2", 0),
    "a category with hyphens": ("a/B-X-Y b/I-X-Y", [(0, 2, "X-Y")], "IOB2", 0),
}


@pytest.mark.parametrize(("words", "units", "scheme", "repaired"), ODD.values(), ids=ODD)
def test_irregular_tags_are_repaired_as_in_conlleval_and_counted(tmp_path, words, units, scheme, repaired):
    corpus = read(saved(tmp_path, lines_of(words)))
    assert [record[2:] for record in records(corpus)] == units
    message = f"anna.conll: {repaired} units begin or end without the tag for it, and are taken as conlleval takes them"
    assert (message in corpus.notes) == bool(repaired)
    assert f"anna.conll: tokens are in column 1, tags in column 2: {scheme}" in corpus.notes


def test_units_end_with_their_sentence(tmp_path):
    corpus = read(saved(tmp_path, lines_of("a/B-X b/I-X", "c/I-X d/O")))
    assert [record[2:4] for record in records(corpus)] == [(0, 2), (2, 3)]
    assert corpus["anna"].extent == (0, 4)


def test_requested_scheme_refuses_other_tags(tmp_path):
    path = saved(tmp_path, lines_of("a/I-X b/I-X"))
    assert "anna.conll: 1 units begin or end without" in " ".join(read(path, options={"scheme": "iob2"}).notes)
    assert "begin or end without" not in " ".join(read(path, options={"scheme": "iob1"}).notes)
    path = saved(tmp_path, lines_of("a/B-X b/E-X"))
    with pytest.raises(InputError, match=r"anna\.conll, line 2: 'E-X' is no tag of iob2; correct it, or leave out the"):
        read(path, options={"scheme": "iob2"})


# --- columns and lines -------------------------------------------------------------------------------------

SAME = {
    "tabs": "London\tB-LOC\ncalling\tO\n",
    "blanks": "London  B-LOC\ncalling O\n",
    "windows line ends": "London\tB-LOC\r\ncalling\tO\r\n",
    "no last line end": "London\tB-LOC\ncalling\tO",
    "byte order mark": "\ufeffLondon\tB-LOC\ncalling\tO\n",
    "more blank lines": "\n\nLondon\tB-LOC\ncalling\tO\n\n\n",
    "ids": "1\tLondon\tB-LOC\n2\tcalling\tO\n",
    "ids, several tokens and none": "1-2\tLondonc\t_\n1\tLondon\tB-LOC\n1.1\tis\t_\n2\tcalling\tO\n",
    "more columns": "London\tNNP\t_\tB-LOC\ncalling\tVBG\t_\tO\n",
    "tags before": "O\tB-LOC\tLondon\nO\tO\tcalling\n",
    "comments": "# text = London calling\n# newpar\nLondon\tB-LOC\ncalling\tO\n",
    "one break": "-DOCSTART- O\n\nLondon\tB-LOC\ncalling\tO\n",
    "blanks after": "London\tB-LOC\t\ncalling\tO\t\n",
    "blanks after one": "London\tB-LOC\ncalling\tO\t\n",
}


@pytest.mark.parametrize("name", SAME)
def test_all_layouts_have_the_same_tokens(tmp_path, name):
    settings = {"columns": {"token": 3, "category": 2}} if name == "tags before" else {}
    corpus = read(saved(tmp_path, SAME[name]), format="conll", **settings)
    assert records(corpus) == [("anna", "anna", 0, 1, "LOC")]
    assert corpus["anna"].extent == (0, 2)


def test_hashtags_are_tokens(tmp_path):
    corpus = read(saved(tmp_path, "in\tO\n#London\tB-LOC\n# now\n#\tO\n"))
    assert records(corpus) == [("anna", "anna", 1, 2, "LOC")]
    assert corpus["anna"].extent == (0, 3)


@pytest.mark.parametrize(
    "comment", ["http://x [2009-10-23]\t\t", "http://x\t[2009-10-23]\t", "http://x\tO\tO", "http://x"]
)
@pytest.mark.parametrize(
    ("settings", "labels"),
    [
        ({"layers": "*"}, ["LOC", "LOC", "PER"]),
        ({"layers": "3"}, ["LOC", "PER"]),
        ({"columns": {"category": 3}}, ["LOC", "PER"]),
    ],
)
def test_comments_with_tabs_are_not_numbered_tokens(tmp_path, comment, settings, labels):
    sentence = f"#\t{comment}\n1\tSchartau\tB-PER\tO\n2\tin\tO\tO\n3\tBerlin\tB-LOC\tB-LOC\n\n"
    corpus = read(saved(tmp_path, 2 * sentence, "anna.tsv"), **settings)
    assert sorted(unit.category for unit in corpus["anna"].units()) == sorted(2 * labels)
    assert corpus["anna"].extent == (0, 6)


def test_comments_with_tabs_are_recognised_by_their_tags(tmp_path):
    corpus = read(saved(tmp_path, "#\t[2009]\nin\tO\n#London\tB-LOC\n#\tO\n"))
    assert records(corpus) == [("anna", "anna", 1, 2, "LOC")]
    assert corpus["anna"].extent == (0, 3)


def test_unusual_line_separators_stay_in_tokens(tmp_path):
    corpus = read(saved(tmp_path, "Lon\x85don\u2028\tB-LOC\n\x0bcalling\tO\n"), format="conll")
    assert corpus["anna"].extent == (0, 2)


CROWD = "London B-LOC O ?\ncalling O B-X ?\n\nto I-LOC O O\n"


def test_columns_of_annotators(tmp_path):
    path = saved(tmp_path, CROWD, "d.conll")
    corpus = read(path, options={"annotators": {"anna": 2, "ben": 3, "cleo": 4}})
    assert records(corpus) == [
        *[("d", "anna", 0, 1, "LOC"), ("d", "anna", 2, 3, "LOC")],
        ("d", "ben", 1, 2, "X"),
    ]
    assert corpus["d"].annotators == ("anna", "ben", "cleo")
    assert "d.conll: 2 tokens that 'cleo' was not shown are in documents with others" in corpus.notes


def test_annotators_without_shown_tokens_did_not_annotate_the_document(tmp_path):
    path = saved(tmp_path, "# newdoc id = one\na O ?\n# newdoc id = two\nb ? O\n", "d.conll")
    corpus = read(path, options={"annotators": {"anna": 2, "ben": 3}})
    assert {name: corpus[name].annotators for name in corpus} == {"one": ("anna",), "two": ("ben",)}


def test_several_columns_of_tags_are_layers_or_annotators(tmp_path):
    path = saved(tmp_path, CROWD, "d.conll")
    with pytest.raises(InputError, match=r"units in 2 layers: 2 \(2 units\), 3 \(1 units\).*annotator='\{layer\}'"):
        read(path)
    assert [record[2:] for record in records(read(path, layers="3"))] == [(1, 2, "X")]
    corpus = read(path, annotator="{layer}")
    assert corpus["d"].annotators == ("2", "3", "4")


def test_comment_names_the_columns(tmp_path):
    path = saved(tmp_path, f"# global.columns = FORM anna ben cleo\n{CROWD}", "d.conll")
    assert read(path, annotator="{layer}")["d"].annotators == ("anna", "ben", "cleo")
    corpus = read(path, options={"annotators": {"Ben": "ben"}}, columns={"token": "FORM"})
    assert records(corpus) == [("d", "Ben", 1, 2, "X")]


def test_document_comments_separate_documents(tmp_path):
    text = "-DOCSTART- O\n\na B-X\n\n-DOCSTART- O\n\n\n-DOCSTART- O\n\nb O\nc I-X\n"
    corpus = read(saved(tmp_path, text))
    assert records(corpus) == [("1", "anna", 0, 1, "X"), ("3", "anna", 1, 2, "X")]
    corpus = read(saved(tmp_path, "a B-X\n# newdoc\nb B-X\n# newdoc id = last\nc B-X\n"))
    assert corpus.documents == ("1", "anna", "last")


BAD_FILES = {
    "a token without tag": ("a O\nb\nc B-X\n", r"line 2: 1 cells, but the first token has 2: 'b'; correct it"),
    "a cell too many": ("a O\nb O x\nc B-X\n", r"line 2: 3 cells, but the first token has 2: 'b O x'; correct it"),
    "a tag that is none": ("a O\nb X-B\nc B-X\n", r"line 2: 'X-B' is no tag: O, B-<category>, I-<category>, …; corr"),
    "an empty tag": ("a\tO\nb\t\nc\tB-X\n", r"line 2: '' is no tag"),
    "two": (
        "a O\nb X-B\nc B-X\nd B_\ne O\n",
        r"line 2: 'X-B' is no tag.* \(1 more; ga.validate lists them all\)",
    ),
    "a document twice": (
        "# newdoc id = d\na O\n# newdoc id = d\nb B-X\n",
        r"line 3: document 'd' begins here and in line 1; rename one",
    ),
    "no tags": (
        "a NN\nb NN\n",
        r"anna\.conll: none of the 2 columns seems to hold tags .*columns=\{'category': …\}",
    ),
    "no tokens": ("# text = \n\n", r"anna\.conll: the file has no tokens"),
    "a column that is not there": ("a O\n", r"anna\.conll: there is no column 7 for 'anna'; there are 2"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_malformed_files_are_refused_by_line(tmp_path, name):
    text, message = BAD_FILES[name]
    path = saved(tmp_path, text)
    settings = {"options": {"annotators": {"anna": 7}}} if "not there" in name else {}
    with pytest.raises(InputError, match=message):
        read(path, format="conll", **settings)


BAD_OPTIONS = {
    "unknown": (
        {"x": 1},
        r"conll has no option 'x'; its options are 'columns': your names, or numbers, of the columns",
    ),
    "scheme": ({"scheme": "iob3"}, "the scheme of tags is one of iob1, iob2, bioes, bilou, bmes, not 'iob3'"),
    "annotators": ({"annotators": 3}, r"annotators is annotator to column, \{'anna': 3, 'ben': 4\}, not 3"),
    "a column": ({"annotators": {"anna": "tags"}}, r"the column of 'anna' is a number from 1, not 'tags'"),
    "token": ({"columns": {"token": True}}, r"the column of token is a number from 1, not True"),
}


@pytest.mark.parametrize(("given_options", "message"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_invalid_options_are_refused(tmp_path, given_options, message):
    path = saved(tmp_path, CROWD)
    with pytest.raises(SettingsError, match=message):
        read(path, options=given_options)


# --- annotators' tokens ------------------------------------------------------------------------------------


def project(folder, **texts):
    for annotator, text in texts.items():
        saved(folder, text, f"{annotator}/d1.conll")
    return f"{folder}/{{annotator}}/{{document}}.conll"


def test_a_file_an_annotator(tmp_path):
    text = project(tmp_path, anna="in\tO\nTOKYO\tB-LOC\n", ben="in O\nTOKYO O\n")
    corpus = read(text)
    assert records(corpus) == [("d1", "anna", 1, 2, "LOC")]
    assert corpus["d1"].annotators == ("anna", "ben")


BROKEN = {"anna": "in\tO\nTOKYO\tB-LOC\nnow\tB-T\n", "ben": "in\tO\n\nTOKYO/B-/B-MISCLOC\tO\nnow\tB-T\n"}


def test_different_tokens_are_refused_with_the_first_difference(tmp_path):
    path = project(tmp_path, **BROKEN)
    message = (
        r"document 'd1': the tokens of 'anna' and 'ben' differ: token 2 is 'TOKYO' \(anna/d1\.conll, line 2\) and "
        r"'TOKYO/B-/B-MISCLOC' \(ben/d1\.conll, line 3\); give them one text, or map them onto the first with align"
    )
    with pytest.raises(InputError, match=message):
        read(path)


def test_missing_token_is_reported(tmp_path):
    path = project(tmp_path, anna="in\tO\nTOKYO\tB-LOC\n", ben="in\tO\n")
    with pytest.raises(
        InputError, match=r"token 2 is 'TOKYO' \(anna/d1\.conll, line 2\) and missing \(ben/d1\.conll\)"
    ):
        read(path)


def test_different_tokens_are_mapped_by_equal_tokens(tmp_path):
    texts = {
        "anna": lines_of("in/O TOKYO/B-LOC it/O rains/B-X"),
        "ben": lines_of("in/O TOK/O YO/O it/B-Y really/I-Y rains/B-X"),
    }
    corpus = read(project(tmp_path, **texts), align_text=True)
    assert records(corpus) == [
        *[("d1", "anna", 1, 2, "LOC"), ("d1", "anna", 3, 4, "X")],
        *[("d1", "ben", 2, 3, "Y"), ("d1", "ben", 3, 4, "X")],
    ]
    assert corpus["d1"].extent == (0, 4)
    assert "document 'd1': 'ben' mapped onto the tokens of 'anna': token 2 is 'TOKYO'" in " ".join(corpus.notes)


def test_positions_in_characters_are_refused(tmp_path):
    path = project(tmp_path, anna=SAME["tabs"], ben=SAME["tabs"])
    assert read(path, positions="tokens").extents.tolist() == [[0, 2]]
    with pytest.raises(
        InputError, match=r"anna/d1\.conll: counts in 'token' and not in characters; leave out positions"
    ):
        read(path, positions="characters")


# --- files met in the wild ---------------------------------------------------------------------------------

HIPE = """TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNE-FINE-LIT\tNE-NESTED\tNEL-LIT\tMISC
# hipe2022:document_id = NZZ-1798
# hipe2022:date = 1798-01-20
General\tB-pers\tO\tB-pers.ind\tO\tQ321765\t_
Hutchinson\tI-pers\tO\tI-pers.ind\tO\tQ321765\tEndOfLine
# segment_iiif_link = _
in\tO\tO\tO\tO\t_\t_
Bern\tB-loc\tB-org\tB-loc.adm\t_\tQ70\t_

# hipe2022:document_id = NZZ-1799
in\t_\tO\tO\tO\t_\t_
Wien\tB-loc\tO\tB-loc.adm\tO\tQ1741\t_
"""


BARE_TABLE = "tok\tpos\trede\n" + 2 * (
    "Er\tP\t-\nsagt\tV\t-\nja\tN\tdirekt\nund\tP\tdirekt\ngeht\tV\t-\nEr\tP\t-\nlacht\tV\tindirekt\nja\tN\tindirekt\n"
)


@pytest.mark.parametrize("column", ["3", "rede"])
@pytest.mark.parametrize("token", ["tok", "zzz"])
def test_names_of_columns_that_nobody_knows_are_no_token(tmp_path, column, token):
    for who in ("ann", "bob"):
        folder = tmp_path / who
        folder.mkdir()
        saved(folder, BARE_TABLE.replace("tok", token), "d.tsv")
    corpus = read(tmp_path, format="conll", columns={"category": column})
    assert corpus["d"].extent == (0, 16)
    assert {record[2:] for record in records(corpus)} == {
        *((2, 4, "direkt"), (6, 8, "indirekt"), (10, 12, "direkt"), (14, 16, "indirekt"))
    }
    assert any("line 1 names the columns" in note for note in corpus.notes)


def test_a_first_word_of_a_rare_kind_is_a_token(tmp_path):
    table = "hm\tINTJ\tdiscourse\n" + BARE_TABLE.partition("\n")[2]
    corpus = read(saved(tmp_path, table, "ann.tsv"), format="conll", columns={"category": "3"})
    assert corpus["ann"].extent == (0, 17)


def test_a_header_names_the_columns_of_hipe(tmp_path):
    path = saved(tmp_path, HIPE, "anna.tsv")
    with pytest.raises(InputError, match=r"units in 3 layers: NE-COARSE-LIT \(3 units\), NE-COARSE-METO \(1 units\)"):
        read(path)
    corpus = read(path, layers="NE-COARSE-LIT")
    assert records(corpus) == [
        *[("NZZ-1798", "anna", 0, 2, "pers"), ("NZZ-1798", "anna", 3, 4, "loc")],
        ("NZZ-1799", "anna", 1, 2, "loc"),
    ]
    assert corpus.extents.tolist() == [[0, 4], [0, 2]]
    assert "anna.tsv: line 1 names the columns" in corpus.notes
    assert "anna.tsv: 2 cells that are empty, '_' or '-' in columns of tags are taken as O" in corpus.notes


def test_the_only_column_of_tags_is_a_layer_by_its_name(tmp_path):
    path = saved(tmp_path, "TOKEN\tNE-COARSE-LIT\tNEL-LIT\nBern\tB-loc\tQ70\nis\tO\t_\n", "anna.tsv")
    assert records(read(path, layers="NE-COARSE-LIT")) == records(read(path)) == [("anna", "anna", 0, 1, "loc")]


WILD = {
    "two columns with a header": "word\ttag\nAda\tB-PER\nLovelace\tI-PER\nsleeps\tO\n",
    "a header that nobody knows": "Wort\tAusz\nAda\tB-PER\nLovelace\tI-PER\nsleeps\tO\n",
    "two columns": "Ada\tB-PER\nLovelace\tI-PER\nsleeps\tO\n",
    "the columns the other way round": "tag\tword\nB-PER\tAda\nI-PER\tLovelace\nO\tsleeps\n",
    "bare tags": "Ada PER\nLovelace PER\nsleeps O\nand O\ndreams O\n",
    "bare tags, few of them O": "Ada PER\nLovelace PER\nsleeps O\n",
    "bare tags with a header": "token\tlabel\nAda\tPER\nLovelace\tPER\nsleeps\tO\nand\tO\nso\tO\n",
    "a feature": "# text = …\n1\tAda\tname=B-PER|SpaceAfter=No\n2\tLovelace\tname=I-PER\n3\tsleeps\t_\n",
    "a feature of CoNLL-U": (
        "# newdoc id = anna\n1\tAda\tAda\tPROPN\tNNP\tNumber=Sing\t3\tnsubj\t_\tNER=B-PER|SpaceAfter=No\n"
        "2\tLovelace\t_\tPROPN\tNNP\tNumber=Sing\t1\tflat\t_\tNER=I-PER\n"
        "3\tsleeps\tsleep\tVERB\tVBZ\tTense=Pres\t0\troot\t_\tNER=O|SpaceAfter=No\n"
    ),
}


@pytest.mark.parametrize("name", WILD)
@pytest.mark.parametrize("suffix", [".conll", ".tsv", ".txt"])
def test_tag_variants_give_the_same_unit(tmp_path, name, suffix):
    corpus = read(saved(tmp_path, WILD[name], f"anna{suffix}"))
    assert records(corpus) == [("anna", "anna", 0, 2, "PER")]
    assert corpus["anna"].extent == (0, WILD[name].count("\n") - ("header" in name) if "bare" in name else 3)


def test_a_prefix_may_stand_before_an_underscore(tmp_path):
    corpus = read(saved(tmp_path, "Ada B_PER\nLovelace I_PER\nBen B_PER\nsleeps O\n"))
    assert [(unit.start, unit.end, unit.category) for unit in corpus["anna"].units()] == [(0, 2, "PER"), (2, 3, "PER")]


def test_categories_with_an_underscore_are_kept(tmp_path):
    corpus = read(saved(tmp_path, "ada@x E_mail\nwrites O\nand O\nwaits O\n"))
    assert [unit.category for unit in corpus["anna"].units()] == ["E_mail"]


def test_bare_tags_are_noted(tmp_path):
    corpus = read(saved(tmp_path, WILD["bare tags"]))
    message = "categories alone as tags: as long as one is repeated it is one unit"
    assert f"anna.conll: tokens are in column 1, tags in column 2: {message}" in corpus.notes
    assert records(read(saved(tmp_path, "Ada PER\n\nAda PER\nand O\nso O\nand O\n")))[1][2:4] == (1, 2)


def test_columns_of_words_are_not_bare_tags(tmp_path):
    for text in ("Rome O\nRome X\nAda PER\nAda X\n", "O O\nmy love\nis like\na rose\nthat is\nnewly sprung\n"):
        source = Source(saved(tmp_path, text, "d.txt"), "d.txt")
        assert "conll" not in [fmt.name for fmt in formats.matching_formats(source.head)]


def litbank(*cells):
    rows = [f"bleak\t0\t{index}\tw{index}\t" + "_\t" * 8 + cell for index, cell in enumerate(cells)]
    return "#begin document (bleak); part 0\n" + "\n".join(rows) + "\n#end document\n"


MENTIONS = ("(0", "", "0)|(1", "(2)", "1)", "", "(3|(0", "0)|3)")
"""Of chains 0, 1, 2, 3: two in one another, two that overlap, one of one token."""


def test_mentions_in_brackets_are_units(tmp_path):
    path = saved(tmp_path, litbank(*MENTIONS))
    corpus = read(path)
    assert [record[2:] for record in records(corpus)] == [
        *[(0, 3, None), (2, 5, None), (3, 4, None)],
        *[(6, 8, None), (6, 8, None)],
    ]
    assert corpus.documents == ("bleak",)
    assert "take the numbers of their chains as categories with options={'chains': True}" in " ".join(corpus.notes)
    chained = read(path, options={"chains": True})
    assert sorted(record[-1] for record in records(chained)) == ["0", "0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (("(0", ""), r"line 2: '\(0' begins a mention that does not end in its sentence; correct it"),
        (("(1)", "0)"), r"line 3: '0\)' ends a mention that does not begin; correct it"),
    ],
)
def test_unclosed_mentions_are_refused_with_their_line(tmp_path, cells, message):
    with pytest.raises(InputError, match=message):
        read(saved(tmp_path, litbank(*cells)))


def test_parts_of_a_document_are_documents(tmp_path):
    text = litbank("(0)") + litbank("(0)").replace("part 0", "part 001")
    assert read(saved(tmp_path, text)).documents == ("bleak", "bleak 1")


def test_sentences_with_equal_document_ids_are_one_document(tmp_path):
    text = "# document_id = d\na\tO\n\n# document_id = d\nb\tB-X\n\n# document_id = e\nc\tO\n"
    assert records(read(saved(tmp_path, text))) == [("d", "anna", 1, 2, "X")]
