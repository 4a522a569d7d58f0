"""Several paths as one corpus, standard input, and what is chosen of a corpus: as anybody would type it."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.apps.cli.measure import _medians_without_each, _rare_annotators
from gamma_align.reading.data_sets import Marked

HEAD = "document,annotator,start,end,category\n"
ANN = HEAD + "d,Ann,0,10,x\nd,Ann,12,20,y\ne,Ann,0,10,x\n"
BOB = HEAD + "d,Bob,0,10,x\nd,Bob,13,20,y\ne,Bob,1,10,x\n"


def written(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return [folder / f"{name}.csv" for name in texts]


def piped(monkeypatch, content, *arguments):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    return run(*arguments)


def documents_of(*arguments):
    done = run("align", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return {document["document"]: document for document in json.loads(done.stdout)["documents"]}


def units_of(document):
    units = [unit for unitary in document["unitary_alignments"] for unit in unitary["units"]]
    return sorted((unit["annotator"], unit["start"], unit["category"]) for unit in units)


def test_several_paths_are_one_corpus(tmp_path):
    ann, bob = written(tmp_path, ann=ANN, Jörg_ü=BOB)
    spaced = ann.rename(tmp_path / "clip 2.csv")
    (whole,) = written(tmp_path, whole=ANN + BOB.removeprefix(HEAD))
    apart, together = documents_of(spaced, bob), documents_of(whole)
    assert apart.keys() == together.keys() == {"d", "e"}
    for name in apart:
        assert units_of(apart[name]) == units_of(together[name])
        assert apart[name]["disorder"] == together[name]["disorder"]


@pytest.mark.parametrize("order", [[0, 1, "--json"], ["--json", 0, 1], [0, "--json", 1]])
def test_paths_stand_before_and_after_options(tmp_path, order):
    paths = written(tmp_path, ann=ANN, bob=BOB)
    done = run("align", *(paths[word] if isinstance(word, int) else word for word in order))
    assert len(json.loads(done.stdout)["documents"]) == 2


def test_many_files_of_one_document_each(tmp_path):
    rows = "{0},Ann,0,10,x\n{0},Bob,{0},11,x\n"
    paths = written(tmp_path, **{f"f{number}": HEAD + rows.format(number) for number in range(7)})
    done = run("convert", *paths, tmp_path / "all.jsonl")
    assert done.returncode == 0
    corpus = ga.read(tmp_path / "all.jsonl")
    assert (corpus.documents, corpus.n_units) == (tuple("0123456"), 14)


def test_the_same_annotator_of_the_same_document_twice_names_both_files_and_cures_that_cure(tmp_path):
    first, second = written(tmp_path, a=ANN, b=ANN)
    done = run("align", first, second)
    assert done.returncode == 3
    assert f"{first} and {second}: both have annotator 'Ann' of document 'd'" in done.stderr
    assert "--annotators-from '{file}'" in done.stderr
    assert "--documents-from '{file}/{document}'" in done.stderr
    assert {unit[0] for unit in units_of(documents_of(first, second, "--annotators-from", "{file}")["d"])} == {"a", "b"}
    by_document = run("convert", first, second, tmp_path / "out.csv", "--documents-from", "{file}/{document}")
    assert by_document.returncode == 0, by_document.stderr
    assert ga.read(tmp_path / "out.csv").documents == ("a/d", "a/e", "b/d", "b/e")


def looked_at(*arguments):
    done = run("validate", "--json", *arguments)
    return done.returncode, json.loads(done.stdout)


def test_several_paths_are_validated_as_one_corpus(tmp_path, monkeypatch):
    more = "d,Ann,25,25,x\nd,Ann,30,31,x \n"
    ann, bob, whole = written(tmp_path, ann=ANN + more, bob=BOB, whole=ANN + more + BOB.removeprefix(HEAD))
    (code, apart), (_, together) = looked_at(ann, bob), looked_at(whole)
    assert code == 0
    assert (apart["path"], apart["files"]) == (f"{ann} and {bob}", 2)
    assert apart["found"] == together["found"]
    counts = [(each["name"], each["count"]) for each in apart["findings"]]
    assert counts == [(each["name"], each["count"]) for each in together["findings"]]
    (zero,) = [each for each in apart["findings"] if each["name"] == "zero-length"]
    assert zero["first"] == ["ann.csv, line 5: document 'd', annotator 'Ann', unit [25, 25] 'x'"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BOB.encode())))
    assert looked_at(ann, "-")[1]["found"] == together["found"]


def test_problems_of_all_paths_and_between_them(tmp_path):
    wrong = [text.replace("12,20", "20,12").replace("13,20", "x,20") for text in (ANN, BOB)]
    ann, bob, again = written(tmp_path, ann=wrong[0], bob=wrong[1], again=ANN)
    code, data = looked_at(ann, bob, again)
    assert code == 3
    assert [(each["file"], each["line"]) for each in data["problems"]][1:] == [("ann.csv", 3), ("bob.csv", 3)]
    assert data["problems"][0]["file"] == f"{ann} and {again}"
    first = "both have annotator 'Ann' of document 'd'; if the files are annotators, use --annotators-from '{file}'"
    assert data["problems"][0]["what"].startswith(first)
    assert looked_at(ann, again, "--annotators-from", "{file}")[1]["problems"][0]["line"] == 3


def test_what_bounds_count_and_texts_differ_in_is_a_problem(tmp_path):
    lines = {"document": "d", "start": 0, "end": 3, "unit": "char", "text": "abc"}
    texts = {"ann": lines, "bob": lines | {"text": "abd"}, "cy": {**lines, "unit": "s"}}
    del texts["cy"]["text"]
    for who, line in texts.items():
        units = [{"start": 0, "end": 2, "category": "x"}]
        (tmp_path / f"{who}.jsonl").write_text(json.dumps(line | {"annotations": {who: units}}) + "\n")
    ann, bob, cy = (tmp_path / f"{who}.jsonl" for who in texts)
    for paths, message in (
        ((ann, bob), "text of document 'd' differs"),
        ((ann, cy), "bounds count char in"),
    ):
        code, data = looked_at(*paths)
        assert code == 3
        assert message in data["problems"][0]["what"]
        refused = run("align", *paths)
        assert message in refused.stderr


def test_several_paths_are_repaired_into_one_corpus(tmp_path):
    paths = written(tmp_path, ann=ANN + "d,Ann,0,10,x\n", bob=BOB)
    done = run("validate", *paths, "--fix", "duplicates", "-o", tmp_path / "out.csv")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert sorted(lines[1:]) == sorted([*ANN.splitlines()[1:], *BOB.splitlines()[1:]])


def test_the_same_path_twice_is_a_usage_error(tmp_path):
    (path,) = written(tmp_path, a=ANN)
    done = run("measure", path, path)
    assert (done.returncode, done.stderr) == (2, f"gamma-align: error: {path} is named twice; name each file once\n")
    assert run("validate", path, path).stderr == done.stderr


def test_an_output_may_be_none_of_the_paths(tmp_path):
    paths = written(tmp_path, ann=ANN, bob=BOB)
    done = run("measure", *paths, "-o", paths[1])
    assert done.returncode == 2
    assert "is named twice; it would be overwritten" in done.stderr
    assert "is the input" in run("convert", *paths, paths[1]).stderr
    assert paths[1].read_text(encoding="utf-8") == BOB


@pytest.mark.parametrize(
    "path",
    [
        "pygamma/AlexPaulSuzan.csv",
        "novels_ner/units.parquet",
        "formats/elan/MaureenMarvinRobin.eaf",
        "formats/jsonl/two_documents.jsonl",
        "formats/ner/spans.jsonl",
        "formats/textgrid/mary.TextGrid",
    ],
)
def test_standard_input_is_told_by_its_content(monkeypatch, path):
    source = CORPORA / path
    expected = json.loads(run("validate", source, "--json").stdout)
    found = json.loads(piped(monkeypatch, source.read_bytes(), "validate", "-", "--json").stdout)
    assert found["format"] == expected["format"]
    assert found["found"] == expected["found"]


@pytest.mark.parametrize("content", [b"hello\n", b"\x89PNG\r\n"])
def test_standard_input_that_cannot_be_told_names_the_option(monkeypatch, content):
    done = piped(monkeypatch, content, "measure", "-")
    assert done.returncode == 3
    assert "standard input is of no known format; say which format it is with --format NAME" in done.stderr


def test_empty_standard_input_is_invalid(monkeypatch):
    done = piped(monkeypatch, b"", "measure", "-")
    assert (done.returncode, done.stderr) == (3, "gamma-align: error: standard input is empty\n")


def test_format_tells_what_standard_input_is(monkeypatch):
    done = piped(monkeypatch, (ANN + BOB.removeprefix(HEAD)).encode(), "align", "-", "--format", "csv", "--json")
    assert len(json.loads(done.stdout)["documents"]) == 2
    wrong = piped(monkeypatch, b"hello\n", "align", "-", "--format", "csv")
    assert wrong.returncode == 3
    assert wrong.stderr.startswith("gamma-align: error: stdin.csv")


def test_standard_input_and_a_file_are_one_corpus(monkeypatch, tmp_path):
    (ann,) = written(tmp_path, ann=ANN)
    done = piped(monkeypatch, BOB.encode(), "align", ann, "-", "--json")
    assert len(json.loads(done.stdout)["documents"]) == 2


def test_documents_annotators_and_categories_are_chosen(tmp_path):
    (path,) = written(tmp_path, all=ANN + BOB.removeprefix(HEAD) + 'e,Cy,0,9,"z,1"\nf,Cy,0,9,x\nf,Ann,0,9,x\n')
    chosen = documents_of(path, "--document", "d,e", "--annotator", "Ann", "--annotator", "Bob", "--categories", "x")
    assert {name: units_of(document) for name, document in chosen.items()} == {
        "d": [("Ann", 0.0, "x"), ("Bob", 0.0, "x")],
        "e": [("Ann", 0.0, "x"), ("Bob", 1.0, "x")],
    }
    assert units_of(documents_of(path, "--document", "e", "--categories", r"z\,1")["e"]) == [("Cy", 0.0, "z,1")]


@pytest.mark.parametrize(
    "subcommand", ["measure", "families", "evaluate", "align", "curve", "plan --target-width 1", "convert"]
)
def test_what_is_not_there_is_a_usage_error_in_every_command(tmp_path, subcommand):
    (path,) = written(tmp_path, all=ANN + BOB.removeprefix(HEAD))
    name, *more = subcommand.split()
    out = [tmp_path / "out.csv"] if name == "convert" else []
    for option, wrong, close in (("--document", "D", "d"), ("--annotator", "Anne", "Ann"), ("--categories", "z", "")):
        done = run(name, path, *out, *more, option, wrong)
        assert done.returncode == 2
        assert done.stderr.startswith(f"gamma-align: error: argument {option}: no ")
        assert repr(wrong) in done.stderr
        assert repr(close) in done.stderr or not close


def test_one_selection_makes_one_corpus_and_what_leaves_nothing_is_a_usage_error(monkeypatch, tmp_path):
    (path,) = written(tmp_path, all=ANN + BOB.removeprefix(HEAD) + "f,Cy,0,9,x\nf,Ann,0,9,x\n")
    selections = []
    select = ga.Corpus.select
    monkeypatch.setattr(ga.Corpus, "select", lambda self, **names: selections.append(names) or select(self, **names))
    assert run("align", path, "--document", "d", "--annotator", "Ann,Bob", "--categories", "x").returncode == 0
    assert selections == [{"documents": ["d"], "annotators": ["Ann", "Bob"], "categories": ["x"]}]
    done = run("align", path, "--document", "e", "--annotator", "Cy")
    told = "none of these annotators saw any of these documents; change --document or --annotator"
    assert (done.returncode, done.stderr) == (2, f"gamma-align: error: {told}\n")


def test_hardly_any_units_are_a_warning_and_its_cure_cures(tmp_path):
    rows = "".join(f"d,{who},{2 * at},{2 * at + 1},x\n" for at in range(101) for who in ("Ann", "Bob"))
    (path,) = written(tmp_path, d=HEAD + rows + "d,admin,0,1,x\n")
    done = run("measure", path, "--samples", 2)
    assert done.stdout.splitlines()[0] == "annotators: Ann 101 units, Bob 101, admin 1"
    assert "warning: annotator 'admin' has less than a hundredth of the others' units" in done.stderr
    cured = run("measure", path, "--samples", 2, "--annotator", "Ann,Bob")
    assert cured.returncode == 0
    assert "warning" not in cured.stderr


def test_annotators_with_hardly_any_units_have_one_warning(tmp_path):
    rows = "".join(f"d,{who},{2 * at},{2 * at + 1},x\n" for at in range(101) for who in ("Ann", "Bob", "Cy"))
    (path,) = written(tmp_path, d=HEAD + rows + "".join(f"d,tier{n},{n},{n + 1},x\n" for n in range(5)))
    done = run("measure", path, "--samples", 2, "--annotator", "Ann,Bob,Cy,tier0,tier1")
    (told,) = (line for line in done.stderr.splitlines() if "hundredth" in line)
    assert told == (
        "gamma-align: warning: annotators 'tier0', 'tier1' have less than a hundredth of the others' units, document "
        "by document: at most 1 where they have 101; leave out those that are no annotators with --annotator, which "
        "names those to keep"
    )


@pytest.mark.parametrize(("documents", "is_told"), [(19, False), (20, True)])
def test_no_unit_in_few_documents_may_be_an_accident(documents, is_told):
    units = np.array([documents, documents, 0])
    marked = Marked(np.full(3, documents), units, np.repeat(np.arange(3), units), np.zeros(2 * documents, dtype=int))
    assert bool([*_rare_annotators(("a", "b", "c"), marked)]) == is_told


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12))
def test_medians_without_each_are_those_of_numpy(values):
    rates = np.array(values) / 2
    expected = [np.median(np.delete(rates, at)) if len(rates) > 1 else 0 for at in range(len(rates))]
    assert _medians_without_each(rates).tolist() == expected


def test_no_category_in_common_is_a_warning_and_its_cure_cures(tmp_path):
    (path,) = written(tmp_path, d=HEAD + "d,Ann,0,10,x\nd,Bob,0,10,X\n")
    done = run("measure", path, "--samples", 2)
    assert "warning: annotators without a category in common: ('Ann'), ('Bob'); map" in done.stderr
    assert "warning" not in run("measure", path, "--samples", 2, "--labels", "X=x").stderr
    assert run("measure", path, "--samples", 2, "--quiet").stderr == ""


def test_many_annotators_are_cut_to_those_of_most_and_fewest_units(tmp_path):
    rows = "".join(f"d,a{who:02},{at},{at + 1},x\n" for who in range(12) for at in range(2, 16 - who))
    (path,) = written(tmp_path, d=HEAD + rows)
    done = run("measure", path, "--samples", 2)
    assert done.stdout.splitlines()[0] == (
        "annotators: a00 14 units, a01 13, a02 12, a03 11, a04 10, a05 9, … (12 in all), a11 3"
    )
    data = json.loads(run("measure", path, "--samples", 2, "--json").stdout)
    assert data["annotators"]["a11"] == 3


def test_what_was_guessed_is_printed_before_the_work_and_once(monkeypatch, capsys, tmp_path):
    (path,) = written(tmp_path, d="doc_id,annotator,start,end,label\nd,Ann,0,10,x\nd,Bob,0,10,x\n")
    printed = []

    def stop(*_, **__):
        printed.append(capsys.readouterr().err)
        raise ga.errors.SolverError("stopped")

    monkeypatch.setattr("gamma_align.requests.measure.gamma", stop)
    assert main(["measure", str(path)]) == 4
    assert printed[0].count("doc_id") == 1
    assert "doc_id" not in capsys.readouterr().err
