"""The options on reading: what each says reaches `gamma_align.read`, in every subcommand on a corpus."""

import pytest
from command_line import run

from gamma_align.apps.cli import main
from gamma_align.requests.texts import labels, layers, option, pair

ROWS = "document,annotator,start,end,category\nd,Ann,0,10,x\nd,Ann,12,20,y\nd,Bob,1,10,x\n"


class _ReadError(BaseException):
    pass


@pytest.fixture
def calls(monkeypatch):
    """Give what `gamma_align.read` is called with; it reads nothing."""
    found = []

    def read(path, **settings):
        found.append((path, settings))
        raise _ReadError

    monkeypatch.setattr("gamma_align.requests.corpus.read", read)
    return found


@pytest.mark.parametrize(
    "subcommand", ["measure", "align", "families", "evaluate", "curve", "plan --target-width 1", "convert"]
)
def test_every_option_reaches_the_reader(calls, subcommand, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ann.ann").write_text("", encoding="utf-8")  # `convert` looks how large it is
    name, *more = subcommand.split()
    arguments = [name, "in/{annotator}.ann", *([str(tmp_path / "out/")] if name == "convert" else []), *more]
    with pytest.raises(_ReadError):
        main(arguments)
    with pytest.raises(_ReadError):
        main(
            [
                *arguments,
                *("--format", "brat", "--annotators-from", "{folder}", "--documents-from", "{file}"),
                *("--layers", "A,ns.B:f", "--labels", "x=y", "--positions", "tokens", "--offsets", "utf-16"),
                *("--discontinuous", "parts", "--mismatch", "keep", "--align-text", "--encoding", "latin-1"),
                *("--column", "document=doc", "--column", "start=from", "--option", "category=N"),
                *("--option", 'columns={"anna": 1}', "--outside", "extend"),
            ]
        )
    assert calls[0] == (["in/{annotator}.ann"], {"outside": "refuse"})
    assert calls[1] == (
        ["in/{annotator}.ann"],
        {
            "format": "brat",
            "annotator": "{folder}",
            "document": "{file}",
            "layers": ["A", "ns.B:f"],
            "labels": {"x": "y"},
            "positions": "tokens",
            "offsets": "utf-16",
            "discontinuous": "parts",
            "mismatch": "keep",
            "align_text": True,
            "encoding": "latin-1",
            "columns": {"document": "doc", "start": "from"},
            "options": {"category": "N", "columns": {"anna": 1}},
            "outside": "extend",
        },
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A", {"A": "A", "*": None}),
        ("A,B", {"A": "A", "B": "B", "*": None}),
        ("B=C", {"B": "C"}),
        ("B=C,D=", {"B": "C", "D": None}),
        ("A,B=C,D=", {"A": "A", "B": "C", "D": None, "*": None}),
        ("A,*", {"A": "A"}),
        ("A,*=other", {"A": "A", "*": "other"}),
        ("*=", {"*": None}),
        ("Identity based =Identity", {"Identity based ": "Identity"}),
        ("=none", {"": "none"}),
        (r"G:7(\,9)=G,a\=b=c,d\\=e", {"G:7(,9)": "G", "a=b": "c", "d\\": "e"}),
    ],
)
def test_labels(text, found):
    assert labels(text) == found


@pytest.mark.parametrize(("text", "told"), [("A,,B", "empty name"), ("", "empty name"), ("A=1,A=2", "named twice")])
def test_labels_that_cannot_be_meant(text, told):
    with pytest.raises(ValueError, match=told):
        labels(text)


def test_layers():
    assert layers("POS,ner:value") == ["POS", "ner:value"]
    assert layers(r"a\,b,*") == ["a,b", "*"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("category=N", ("category", "N")),
        ('columns={"anna": 1}', ("columns", {"anna": 1})),
        ("names=[1, 2]", ("names", [1, 2])),
        ("curated=true", ("curated", True)),
        ("channel=3", ("channel", 3)),
        ("path=a=b", ("path", "a=b")),
        ("number=NaN", ("number", "NaN")),
        ("rate=1.50", ("rate", "1.50")),
        ("word=null", ("word", "null")),
        ('text="quoted"', ("text", '"quoted"')),
    ],
)
def test_options_of_single_formats(text, found):
    assert option(text) == found
    assert type(option(text)[1]) is type(found[1])


@pytest.mark.parametrize(
    ("read", "text", "told"),
    [
        (pair, "document", "of the form A=B"),
        (pair, "=doc", "of the form A=B"),
        (option, "columns={1", "looks like JSON"),
    ],
)
def test_pairs_that_are_none(read, text, told):
    with pytest.raises(ValueError, match=told):
        read(text)


def test_labels_map_categories_before_they_are_measured(tmp_path):
    for name, text in (("Ann", "T1\tx 0 3\tOne\n"), ("Bob", "T1\tX 0 3\tOne\nT2\tz 4 7\ttwo\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.ann").write_text(text, encoding="utf-8")
        (tmp_path / name / "d.txt").write_text("One two", encoding="utf-8")
    done = run("align", tmp_path / "{annotator}/{document}.ann", "--labels", "x,X=x,z=")
    assert "2 annotators, 2 units, 1 unitary alignment" in done.stdout
    assert "disorder 0.000000" in done.stdout
    assert "1 units of categories that were not requested are left out" in done.stderr


@pytest.mark.parametrize("subcommand", ["measure", "align", "families", "evaluate", "curve", "plan --target-width 0.1"])
def test_what_was_guessed_is_told_where_it_cannot_be_measured(tmp_path, capsys, subcommand):
    path = tmp_path / "anna.ann"
    path.write_text("T1\tPER 0 4\tAnna\n", encoding="utf-8")
    name, *more = subcommand.split()
    assert main([name, str(path), *more]) == 3
    told = capsys.readouterr()
    assert told.out == ""
    assert "note: the files do not name their annotators; the file names are used instead: anna" in told.err
    assert told.err.index("note: ") < told.err.index("error: ")
    assert main([name, str(path), "--quiet", *more]) == 3
    assert "note: " not in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["klingon", "base64", "undefined", "nul\0"])
@pytest.mark.parametrize("name", ["units.csv", "talk.rttm", "anna.ann", "two.conll"])
def test_an_encoding_that_there_is_not_is_a_usage_error_in_every_format(tmp_path, capsys, name, encoding):
    (tmp_path / name).write_text("", encoding="utf-8")
    for command in (["measure"], ["validate"], ["convert", "--to", "jsonl"]):
        out = [str(tmp_path / "out.jsonl")] if command[0] == "convert" else []
        assert main([*command, str(tmp_path / name), *out, "--encoding", encoding]) == 2
        assert "there is no such encoding of files" in capsys.readouterr().err
