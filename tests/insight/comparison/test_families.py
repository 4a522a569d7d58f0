"""γ and uα of one corpus: M17 table 3, shares that add up, documents and corpus, the command."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest
import strategies as sts
from command_line import command, on_a_terminal, run
from examples import data
from unitizing_cases import corpus_of, golden

import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.chance.precision import PrecisionRule
from gamma_align.measures.gamma import measure
from gamma_align.measures.gamma.gamma_settings import GammaSettings

ROWS = """document,annotator,start,end,category
talk-1,Ann,0,10,1
talk-1,Ann,12,20,2
talk-1,Bob,1,10,1
talk-1,Bob,12,21,3
talk-2,Ann,3,7,1
talk-2,Ann,20,29,2
talk-2,Bob,4,7,3
talk-2,Bob,20,28,2
talk-2,Cy,4,8,1
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "units.csv"
    file.write_text(ROWS, encoding="utf-8")
    return file


def percents(entries, name):
    return {f"{entry.first}-{entry.second}": 100 * getattr(entry, name) for entry in entries}


def figure_3():
    """M17 fig. 3 with the conventions of the authors' program: α = 3, confidence weighted."""
    return ga.families(corpus_of([golden("mathet_fig3")]), alpha=3, confidence="weighted", samples=30)


def printed(row):
    """Return what M17 table 3 prints in a row, in percent; the figures for α = 1 are a reading of the same row."""
    start = f"mathet_fig3.{row}."
    examples = {e["id"].removeprefix(start): e["printed"] for e in data().examples if e["id"].startswith(start)}
    return {name: float(text.removesuffix(" %")) for name, text in examples.items() if not name.endswith(".text")}


def test_contributions_to_cu_alpha_equal_table_3_of_m17():
    expected, shares = printed("contributions"), percents(figure_3().contributions, "cu")
    assert len(expected) == 6
    assert {pair: shares.get(pair, 0.0) for pair in expected} == pytest.approx(expected, abs=0.05)


def test_contributions_to_gamma_cat_equal_table_3_of_m17():
    expected, result = printed("gammacat_weights"), figure_3()
    shares = percents(result.contributions, "gamma_cat")
    assert math.fsum(entry.weight for entry in result.contributions) == pytest.approx(expected.pop("total"), abs=0.005)
    assert sorted(expected) == ["A-A", "A-B", "B-B"]
    assert {pair: shares[pair] for pair in expected} == pytest.approx(expected, abs=0.05)
    # M17 figure 6: two of the triple's pairs have an A and a B, the third is w(1,3) = .98, each by n_v - 1 = 2
    weights = {f"{entry.first}-{entry.second}": entry.weight for entry in result.contributions}
    assert weights["B-B"] == pytest.approx(0.94, abs=0.005)
    assert 2 * weights["A-A"] == pytest.approx(0.98, abs=0.005)
    assert weights["B-C"] == 0


def two_documents():
    return corpus_of([golden("mathet_fig3"), (0, 9, [[(0, 4, "A"), (5, 7, None)], [(1, 4, "C"), (5, 7, "A")]])])


def test_shares_add_up_and_documents_add_to_the_corpus():
    result = ga.families(two_documents(), samples=30)
    for entries in (result.contributions, *result.documents.values()):
        for name in ("cu", "gamma_cat"):
            assert math.fsum(getattr(entry, name) for entry in entries) == pytest.approx(1, abs=1e-12)
    for entry in result.contributions:
        parts = [
            part
            for entries in result.documents.values()
            for part in entries
            if (part.first, part.second) == (entry.first, entry.second)
        ]
        assert entry.length == pytest.approx(math.fsum(part.length for part in parts), abs=1e-12)
        assert entry.weight == pytest.approx(math.fsum(part.weight for part in parts), abs=1e-12)
    assert ("A", None) in [(entry.first, entry.second) for entry in result.contributions]


def test_families_have_the_results_of_both_measures():
    corpus = two_documents()
    result = ga.families(corpus, samples=30, seed=3, distance="nominal")
    assert result.gamma.to_dict() == ga.gamma(corpus, samples=30, seed=3).to_dict()
    assert result.unitizing.to_dict() == ga.unitizing_alpha(corpus).to_dict()
    unitizing = result.unitizing
    disagreement = math.fsum(entry.cu for entry in result.contributions if entry.first != entry.second)
    assert disagreement == pytest.approx(unitizing.observed["cu"], abs=1e-12)


def test_unequal_pairs_are_the_observed_disorder_of_gamma_cat():
    corpus = two_documents()
    result = ga.families(corpus, samples=30)
    rows = measure.run(corpus, GammaSettings(rule=PrecisionRule(samples=30)))
    for row, name in enumerate(result.documents):
        apart = math.fsum(entry.gamma_cat for entry in result.documents[name] if entry.first != entry.second)
        assert apart == pytest.approx(rows.gamma_cat.observed[row], abs=1e-12)
        total = math.fsum(entry.weight for entry in result.documents[name])
        assert total == pytest.approx(rows.gamma_cat.weight[row], abs=1e-12)


def test_documents_without_overlapping_units_contribute_nothing():
    corpus = corpus_of([golden("mathet_fig3"), (0, 9, [[(0, 4, "A")], [(5, 7, "A")]]), (0, 5, [[], []]), (0, 3, [[]])])
    result = ga.families(corpus, samples=30)
    assert [len(entries) for entries in result.documents.values()] == [4, 0, 0, 0]
    assert result.contributions == result.documents["d0"]


def test_overlapping_units_have_gamma_and_a_reason_without_unitizing_alpha():
    corpus = corpus_of([(0, 9, [[(0, 4, "A"), (3, 5, "B")], [(0, 4, "A")]]), (0, 5, [[(1, 2, "A")], [(1, 2, "A")]])])
    result = ga.families(corpus, samples=30)
    assert result.gamma == ga.gamma(corpus, samples=30)
    reason = "units of one annotator overlap"
    assert {value.reason for value in (result.unitizing.u, result.unitizing.bar_u, result.unitizing.cu)} == {reason}
    assert [row.u.reason for row in result.unitizing.documents] == [reason, reason]
    assert any("units [0, 4] 'A' and [3, 5] 'B' overlap" in note for note in result.notes)
    assert {entry.length for entry in result.contributions} == {0.0}
    json.dumps(result.to_dict(), allow_nan=False)


def test_families_prints_gamma_if_units_overlap(tmp_path):
    table = tmp_path / "units.csv"
    table.write_text(ROWS + "talk-2,Cy,6,9,2\n", encoding="utf-8")
    done = run("families", table, "--samples", "10")
    assert done.returncode == 0, done.stderr
    assert "units of one annotator overlap" in done.stdout
    assert "--overlap layers" in done.stderr


def test_both_families_use_the_distance():
    result = ga.families(ga.read(sts.CORPORA / "pygamma" / "AlexPaulSuzan.csv"), samples=30, distance="interval")
    assert "|d:sporadic+interval|" in result.gamma.signature
    assert round(result.unitizing.cu.value, 3) == 0.955


# -------------------------------------------------------------------------------------------- the command line


def test_families_prints_both_families(path):
    done = run("families", path, "--samples", 30)
    assert done.returncode == 0
    note = "gamma-align: note: uα and |uα depend on the unit of length, which the data do not name\n"
    assert done.stderr.endswith(note)
    lines = done.stdout.splitlines()
    assert lines[0] == "corpus of 2 documents"
    assert ["document", "annotators", "units", "γ", "uα", "γcat", "cuα", "coverage"] in [line.split() for line in lines]
    assert "contributions of pairs of categories" in lines
    assert any(line.split()[:3] == ["1", "–", "1"] for line in lines)
    assert [line.split("|")[0] for line in lines[-2:]] == ["γ", "uα"]


def test_families_json_and_csv_agree(path):
    data = json.loads(run("families", path, "--samples", 30, "--json").stdout)
    assert data["schema_version"] == 1
    assert data["gamma"]["corpus"]["gamma"]["value"] < 1
    assert data["unitizing_alpha"]["corpus"]["u"]["value"] < 1
    rows = list(csv.DictReader(io.StringIO(run("families", path, "--samples", 30, "--csv").stdout)))
    corpus_rows = [row for row in rows if row["level"] == "corpus"]
    assert [float(row["cu_share"]) for row in corpus_rows] == [e["cu"] for e in data["contributions"]["corpus"]]
    document_rows = [row for row in rows if row["document"] == "talk-1"]
    assert [float(row["weight"]) for row in document_rows] == [
        e["weight"] for e in data["contributions"]["documents"]["talk-1"]
    ]


def test_measure_reports_both_families(path):
    done = run("measure", path, "--samples", 30, "--coefficients", "unitizing-alpha,gamma", "--json")
    data = json.loads(done.stdout)
    assert list(data) == ["schema_version", "coefficients", "annotators", "notes"]
    assert list(data["coefficients"]) == ["gamma", "unitizing-alpha"]
    unitizing = json.loads(run("measure", path, "--coefficients", "unitizing-alpha", "--json").stdout)
    shared_fields = {"notes": unitizing["notes"], "annotators": data["annotators"]}
    assert unitizing == {**data["coefficients"]["unitizing-alpha"], **shared_fields}
    assert unitizing["signature"].startswith("uα|docs:2|n:2-3|")
    rows = list(
        csv.DictReader(
            io.StringIO(
                run("measure", path, "--samples", 30, "--coefficients", "gamma,unitizing-alpha", "--csv").stdout
            )
        )
    )
    documents = unitizing["documents"]
    rows = [row for row in rows if not row["category"]]
    assert [float(row["cu"]) for row in rows[:2]] == [document["cu"]["value"] for document in documents]
    assert float(rows[2]["u"]) == unitizing["corpus"]["u"]["value"]
    assert float(rows[2]["gamma"]) == data["coefficients"]["gamma"]["corpus"]["gamma"]["value"]
    text = run("measure", path, "--samples", 30, "--coefficients", "gamma,unitizing-alpha").stdout
    assert text.index("γ|docs") < text.index("|uα") < text.index("uα|docs")


def test_measure_prints_the_unitizing_family_without_gamma(path):
    done = run("measure", path, "--coefficients", "unitizing-alpha", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    head = ["document", "annotators", "units", "length", "coverage", "uα", "|uα", "cuα"]
    assert head in [line.split() for line in lines]
    assert "  intervals: 95 %, jackknife over documents" in lines
    assert "γ" not in done.stdout


def test_measure_refuses_overlapping_units_unless_on_layers(tmp_path):
    file = tmp_path / "units.csv"
    file.write_text(ROWS + "talk-2,Cy,6,9,2\n", encoding="utf-8")
    refused = run("measure", file, "--coefficients", "unitizing-alpha")
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "document 'talk-2', annotator 'Cy': units [4, 8] '1' and [6, 9] '2' overlap" in refused.stderr
    assert "--overlap layers" in refused.stderr
    done = run("measure", file, "--coefficients", "unitizing-alpha", "--overlap", "layers")
    assert done.returncode == 0
    head = ["document", "annotators", "units", "length", "uα"]
    assert head in [line.split() for line in done.stdout.splitlines()]
    assert "cuα" not in done.stdout
    assert "values never meet" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--coefficients kappa", "argument --coefficients: 'kappa' is not one of gamma, unitizing-alpha"),
        ("--coefficients ", "argument --coefficients: '' is not one of gamma, unitizing-alpha"),
        (
            "--order 1,2",
            "argument --distance: the nominal distance has no order; ordinal, gwet-ordinal, interval, linear have one",
        ),
        ("--distance ordinal --order 1,1", "argument --distance: the order of the ordinal distance names '1' twice"),
        ("--distance ordinal --distance-matrix m.csv", "argument --distance-matrix: it sets all distances"),
        ("--distance cosine", "argument --distance: distance must be one of nominal, ordinal"),
    ],
)
def test_invalid_distances_and_coefficients_are_refused(path, capsys, options, message):
    assert main(["measure", str(path), *options.split(" ")]) == 2
    assert message in capsys.readouterr().err


def test_the_command_line_takes_an_order_of_categories(path, capsys):
    options = ["--coefficients", "unitizing-alpha", "--json", "--distance", "ordinal"]
    assert main(["measure", str(path), *options, "--order", "3,1,2"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["settings"]["distance"] == {"name": "ordinal", "order": ["3", "1", "2"]}
    assert main(["measure", str(path), *options, "--order", "1,2"]) == 3
    assert "units.csv: the order of the ordinal distance does not have the category '3'" in capsys.readouterr().err


@pytest.mark.parametrize(("threshold", "code"), [("0.99", 1), ("-1", 0)])
def test_fail_under_checks_u_alpha(path, capsys, threshold, code):
    options = ["--coefficients", "unitizing-alpha", "--fail-under", f"unitizing-alpha={threshold}"]
    assert main(["measure", str(path), *options]) == code
    assert ("error: uα " in capsys.readouterr().err) == bool(code)


def test_an_unavailable_u_alpha_has_exit_code_four(tmp_path, capsys):
    file = tmp_path / "units.csv"
    file.write_text("annotator,start,end,category\nAnn,0,5,x\nBob,0,5,x\n", encoding="utf-8")
    assert main(["measure", str(file), "--coefficients", "unitizing-alpha"]) == 4
    assert "error: uα of the corpus is not available: one value everywhere" in capsys.readouterr().err


@pytest.mark.surfaces
def test_families_is_interrupted_quietly():
    program = command("families", sts.CORPORA / "novels_ner", "--samples", 5000)
    code, out, terminal = on_a_terminal(program, until=b" %")
    assert (code, out) == (130, "")
    assert "Traceback" not in terminal
