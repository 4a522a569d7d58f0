"""Tables with a token a row, in CSV and TSV: sentences, documents and annotators in columns, and what is refused."""

import pytest
from command_line import run

from gamma_align.errors import InputError, SettingsError
from gamma_align.reading.read import read


def saved(folder, text, name="anna.csv"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def records(corpus):
    return [(name, *unit) for name in corpus for unit in corpus[name].units()]


SENTENCES = ((("Ada", "PER"), ("Lovelace", "PER"), ("met", "O"), ("Ann", "PER")), (("Ben", "PER"), (",", "O")))
"""Two sentences, with a unit at the end of one and at the beginning of the other."""

UNITS = [("anna", "anna", 0, 2, "PER"), ("anna", "anna", 3, 4, "PER"), ("anna", "anna", 4, 5, "PER")]
SCHEMES = {
    "bare": ["PER", "PER", "O", "PER", "PER", "O"],
    "iob1": ["I-PER", "I-PER", "O", "I-PER", "I-PER", "O"],
    "iob2": ["B-PER", "I-PER", "O", "B-PER", "B-PER", "O"],
    "bilou": ["B-PER", "L-PER", "O", "U-PER", "U-PER", "O"],
    "blanks": ["PER", "PER", "", "PER", "PER", ""],
}


def tokens(scheme):
    """Yield number, number of the sentence, word and tag of each token."""
    tags = iter(SCHEMES[scheme])
    number = 0
    for sentence, words in enumerate(SENTENCES, 1):
        for word, _ in words:
            number += 1
            yield number, sentence, '","' if word == "," else word, next(tags)


def blank_lines(scheme):
    rows = list(tokens(scheme))
    lines = [f"{word},{tag}" for _, sentence, word, tag in rows if sentence == 1]
    return "\n".join(["Token,Tag", *lines, "", *(f"{word},{tag}" for _, at, word, tag in rows if at == 2)])


def kaggle(scheme):
    first = {1: "Sentence: 1", 5: "Sentence: 2"}
    rows = (f"{first.get(number, '')},{word},NNP,{tag}" for number, _, word, tag in tokens(scheme))
    return "\n".join(["Sentence #,Word,POS,Tag", *rows])


SHAPES = {
    "blank lines": blank_lines,
    "blank rows": lambda scheme: blank_lines(scheme).replace("\n\n", "\n,\n"),
    "Kaggle's": kaggle,
    "semicolons": lambda scheme: kaggle(scheme).replace('","', "?").replace(",", ";"),
    "a line for Excel": lambda scheme: f"sep=,\n{kaggle(scheme)}",
    "Windows' line ends": lambda scheme: kaggle(scheme).replace("\n", "\r\n"),
    "a number each": lambda scheme: "\n".join(
        ["sentence_id,words,labels", *(f"{at},{word},{tag}" for _, at, word, tag in tokens(scheme))]
    ),
    "an id of sentences": lambda scheme: "\n".join(
        ["id,token,tag", *(f"{at},{word},{tag}" for _, at, word, tag in tokens(scheme))]
    ),
    "an index": lambda scheme: "\n".join(
        [",sent_id,token,ner", *(f"{number},{at},{word},{tag}" for number, at, word, tag in tokens(scheme))]
    ),
    "a comma at the end": lambda scheme: kaggle(scheme).replace("\n", ",\n") + ",",
    "the word is a word of the text": lambda scheme: blank_lines(scheme).replace("Token", "met"),
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_all_table_layouts_have_the_same_units(tmp_path, shape, scheme):
    text = SHAPES[shape](scheme)
    if shape == "the word is a word of the text":
        text = text.replace("met", "Word", 1).replace("met", "Word")
    corpus = read(saved(tmp_path, text))
    assert records(corpus) == UNITS
    assert corpus["anna"].extent == (0, 6)
    assert corpus.length_unit == "token"
    text = text.removeprefix("sep=,\n")
    assert read(saved(tmp_path, text.replace('","', "?").replace(",", "\t").replace(";", "\t"), "anna.tsv"))["anna"]


def test_recognised_columns_are_noted(tmp_path):
    notes = read(saved(tmp_path, kaggle("blanks"))).notes
    assert (
        "anna.csv: tokens are in column 2, tags in column 4, sentences in column 1: categories alone as tags: as"
        in " ".join(notes)
    )
    assert "anna.csv: line 1 names the columns" in notes
    assert "anna.csv: 2 cells that are empty, '_' or '-' in columns of tags are taken as O" in notes


def test_a_table_without_a_header(tmp_path):
    corpus = read(saved(tmp_path, "\n".join(blank_lines("iob2").split("\n")[1:])))
    assert records(corpus) == UNITS


def test_tokens_that_are_quotes(tmp_path):
    assert records(read(saved(tmp_path, 'Token,Tag\n"""",O\n"a\nb",O\nAda,B-PER\n#,O\n')))[0][2:] == (2, 3, "PER")


LONG = """doc_id,coder,sent,token,label
d1,anna,1,Ada,PER
d1,anna,2,Ben,PER
d1,ben,1,Ada,PER
d1,ben,2,Ben,O
d2,anna,1,so,O
d2,ben,1,so,LOC
"""
EXPECTED = [
    *[("d1", "anna", 0, 1, "PER"), ("d1", "anna", 1, 2, "PER"), ("d1", "ben", 0, 1, "PER")],
    ("d2", "ben", 0, 1, "LOC"),
]


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [0, 2, 1, 3, 4, 5], [4, 5, 2, 0, 3, 1]])
def test_documents_and_annotators_in_columns_in_any_order(tmp_path, order):
    head, *rows = LONG.splitlines()
    corpus = read(saved(tmp_path, "\n".join([head, *(rows[at] for at in order)])))
    assert records(corpus) == EXPECTED
    assert [corpus[name].annotators for name in corpus] == [("anna", "ben")] * 2


def test_custom_column_names_are_accepted(tmp_path):
    text = LONG.replace("doc_id,coder,sent,token,label", "text_no,who,s,form_,is")
    path = saved(tmp_path, text)
    roles = {"document": "text_no", "annotator": "who", "sentence": "s", "token": "form_", "category": "is"}
    assert records(read(path, columns=roles)) == EXPECTED
    assert records(read(path, columns=dict(zip(roles, "12345", strict=True)))) == EXPECTED
    done = run("validate", path, "--json", *(word for pair in roles.items() for word in ("--column", "=".join(pair))))
    assert done.returncode == 0
    with pytest.raises(
        SettingsError, match=r"there is no 'start' among document, annotator, sentence, token, category"
    ):
        read(path, columns={"start": "s"})


def test_column_of_documents_may_hold_sentences_or_be_absent(tmp_path):
    path = saved(tmp_path, kaggle("iob2"))
    assert read(path, columns={"document": "Sentence #"}).documents == ("Sentence: 1", "Sentence: 2")
    path = saved(tmp_path, LONG)
    assert read(path, columns={"document": None, "sentence": None}).documents == ("anna",)


def test_a_table_of_each_annotator(tmp_path):
    for who in ("anna", "ben"):
        rows = [line for line in LONG.splitlines() if line.split(",")[1] in (who, "coder")]
        saved(tmp_path, "\n".join(rows).replace("coder,", "").replace(f"{who},", ""), f"{who}.csv")
    assert records(read(tmp_path)) == EXPECTED


def test_columns_of_annotators(tmp_path):
    path = saved(tmp_path, "token,ann,ben\nAda,B-PER,B-PER\nsleeps,O,O\nBen,O,B-PER\n", "d.csv")
    with pytest.raises(InputError, match=r"units in 2 layers: ann \(1 units\), ben \(2 units\).*annotator='"):
        read(path)
    expected = [("d", "ann", 0, 1, "PER"), ("d", "ben", 0, 1, "PER"), ("d", "ben", 2, 3, "PER")]
    assert records(read(path, annotator="{layer}")) == expected
    assert records(read(path, options={"annotators": {"ann": "ann", "ben": 3}})) == expected


def test_shuffled_rows_are_refused(tmp_path):
    rows = [f"{number},{sentence},{word},{tag}" for number, sentence, word, tag in tokens("iob2")]
    text = "\n".join([",sentence_id,words,labels", *(rows[at] for at in (4, 0, 5, 1, 2, 3))])
    with pytest.raises(InputError, match=r"anna\.csv: the tokens of a sentence are apart: sentence '2' begins 2 times"):
        read(saved(tmp_path, text))
    again = "\n".join(["sentence_id,words,labels", *(row.partition(",")[2] for row in rows * 2)])
    assert len(records(read(saved(tmp_path, again)))) == 2 * len(UNITS)


UNSAFE = {
    "no O": ("Token,Tag\nAda,PER\nsleeps,VERB\n", ("--format", "conll", "--column", "category=Tag")),
    "a name that is not usual": ("Token,Kind\nAda,x\nsleeps,y\n", ("--format", "conll", "--column", "category=Kind")),
}


@pytest.mark.parametrize(("text", "cure"), UNSAFE.values(), ids=UNSAFE)
def test_doubtful_tags_are_refused_with_a_working_cure(tmp_path, text, cure):
    path = saved(tmp_path, text)
    refused = run("validate", path)
    assert refused.returncode == 3
    assert "--format conll" in refused.stdout
    refused = run("validate", path, "--format", "conll")
    assert refused.returncode == 3
    assert "--column category=" in refused.stdout
    assert run("validate", path, *cure).returncode == 0


def test_numbers_of_tags_are_refused(tmp_path):
    path = saved(tmp_path, "tokens,ner_tags\nAda,1\nsleeps,0\n")
    with pytest.raises(InputError, match=r"column 'ner_tags' has numbers; write the names of the tags \(O, B-PER, …\)"):
        read(path, format="conll", columns={"category": "ner_tags"})


def test_lists_in_cells_are_sentences(tmp_path):
    head = "id,tokens,ner_tags\n"
    first = "1,\"['Ada', 'Lovelace', 'met', 'Ann']\",\"['I-PER', 'I-PER', 'O', 'I-PER']\""
    rows = first + "\n2,\"['Ben', ',']\",\"['I-PER', 'O']\"\n"
    assert records(read(saved(tmp_path, head + rows))) == UNITS
    bad = rows.replace("'I-PER', 'O']", "'I-PER']")
    with pytest.raises(InputError, match=r"anna\.csv, line 3: \"\['I-PER'\]\" is no tag"):
        read(saved(tmp_path, head + bad))


def test_tags_with_bounds_are_refused_with_a_working_cure(tmp_path):
    text = "doc,token,start,end,label\nd,Ada,0,3,B-PER\nd,Lovelace,4,12,I-PER\nd,sleeps,13,19,O\n"
    path = saved(tmp_path, text)
    with pytest.raises(
        InputError, match=r"the categories are tags of tokens \('B-PER', 'I-PER', 'O'\).*format='conll'"
    ):
        read(path)
    assert records(read(path, format="conll")) == [("d", "anna", 0, 2, "PER")]
    assert read(path, labels={"O": None}).categories == ("B-PER", "I-PER")
    with pytest.raises(InputError, match="are tags of tokens"):
        read(saved(tmp_path / "folder", text).parent, annotator="{file}")
