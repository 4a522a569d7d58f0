"""Thresholds: what is compared, messages and exit codes, JUnit XML, GitHub Actions, the hooks of pre-commit."""

import shlex

import pytest
import yaml
from command_line import run
from defusedxml.ElementTree import fromstring
from junitparser import JUnitXml
from places import CORPORA, ROOT

import gamma_align as ga
from gamma_align.errors import render
from gamma_align.measures.gamma.gamma_reasons import COMPUTED_CHANCE, PERFECT, SAME_CATEGORIES
from gamma_align.present.gate import BELOW, NOT_AVAILABLE, PASSED, SKIPPED, Check, junit_xml, messages, workflow_command
from gamma_align.requests.shell import COMMAND_LINE

NOVELS = CORPORA / "novels_ner"
QUICK = ("--samples", 8, "--quiet")
HOSTILE = 'a\x00\x1b[31m<&>"\ud800]]>\n::error::'
ROWS = """document,annotator,start,end,category
d1,ann,0,4,x
d1,bob,0,4,x
d1,ann,6,9,y
d1,bob,6,8,y
d2,ann,0,4,x
d2,bob,2,6,y
d2,ann,10,14,y
d2,bob,12,14,y
d3,ann,0,4,x
d3,bob,30,34,x
"""


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def novels():
    return ga.gamma(NOVELS, samples=8), ga.unitizing_alpha(NOVELS)


# --- one check ---


def computed(precision):
    return ga.GammaValue(0.75, no_interval=COMPUTED_CHANCE, observed=0.25, expected=1.0, expected_precision=precision)


@pytest.mark.parametrize(
    ("value", "least", "by_low", "outcome", "message"),
    [
        (ga.Value(0.58, 0.51, 0.64), 0.7, False, BELOW, "γ 0.58 [0.51, 0.64] is below 0.70, missed by 0.12"),
        (ga.Value(0.7, 0.6, 0.8), 0.7, False, PASSED, "γ 0.70 [0.60, 0.80] is at least 0.70"),
        (ga.Value(0.8, 0.6, 1), 1, True, BELOW, "the lower bound of γ 0.80 [0.60, 1.00] is below 1.00, missed by 0.40"),
        (ga.Value(0.9, 0.8, 1.0), 0.7, True, PASSED, "the lower bound of γ 0.90 [0.80, 1.00] is at least 0.70"),
        # two decimals would read as if it were reached
        (ga.Value(0.69996), 0.7, False, BELOW, "γ 0.69996 is below 0.70000, missed by 0.00004"),
        (ga.Value(0.7), 0.705, False, BELOW, "γ 0.700 is below 0.705, missed by 0.005"),
        (ga.Value(-0.5), -0.25, False, BELOW, "γ -0.50 is below -0.25, missed by 0.25"),
        (ga.Value.unavailable("no units"), -1, False, NOT_AVAILABLE, "γ is not available: no units"),
        (ga.Value(0.9), 0.7, True, NOT_AVAILABLE, "γ is not available: no interval"),
        (ga.Value(0.9, no_interval="one pair"), 0.7, True, NOT_AVAILABLE, "γ is not available: no interval: one pair"),
        (ga.Value(0.9, no_interval="one pair"), 0.7, False, PASSED, "γ 0.90 is at least 0.70"),
        (computed(0.0), 0.75, True, PASSED, "the lower bound of γ 0.75 is at least 0.75"),
        (computed(0.1), 0.75, True, BELOW, "the lower bound of γ 0.75 is below 0.75, missed by 0.03"),
        (ga.GammaValue(1.0, no_interval=PERFECT, observed=0.0), 1, True, PASSED,
         "the lower bound of γ 1.00 is at least 1.00"),
    ],
)  # fmt: skip
def test_a_check(value, least, by_low, outcome, message):
    check = Check("γ", value, least, by_low=by_low)
    assert (check.outcome, check.message) == (outcome, message)
    document = Check("γ", value, least, "d", by_low=by_low, is_document=True)
    assert document.outcome == (SKIPPED if outcome == NOT_AVAILABLE else outcome)
    assert document.message == f"d: {message}"


def test_many_documents_are_the_lowest_and_a_count():
    checks = [
        Check("γ", ga.Value(value), 0.5, f"d{value}", is_document=True) for value in (0.4, 0.1, 0.6, 0.3, 0.2, 0.45)
    ]
    checks += [Check("γcat", ga.Value(0.1), 0.5, "d1", is_document=True)]
    assert [render(message, COMMAND_LINE).split(" is")[0] for message in messages(checks)] == [
        "d0.1: γ 0.10",
        "d0.2: γ 0.20",
        "d0.3: γ 0.30",
        "γ of 2 more documents below 0.5: --junit FILE has all of them",
        "d1: γcat 0.10",
    ]


def test_junit_of_hostile_names_is_read():
    checks = [
        Check(HOSTILE, ga.Value(0.1), 0.5, HOSTILE),
        Check("γ", ga.Value.unavailable(HOSTILE), 0.5),
        Check("γ", ga.Value.unavailable("no units"), 0.5, "d", is_document=True),
        Check("γ", ga.Value(1.0), 0.5),
    ]
    (suite,) = JUnitXml.fromroot(fromstring(junit_xml(checks, HOSTILE, [HOSTILE]).encode()))
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (4, 2, 0, 1)
    cases = [*suite]
    assert [[type(result).__name__ for result in case.result] for case in cases] == [
        ["Failure"],
        ["Failure"],
        ["Skipped"],
        [],
    ]
    assert [case.result[0].message for case in cases[:3]] == [check.message for check in checks[:3]]
    assert "\\x00\\x1b[31m<&>" in cases[0].name
    assert cases[3].system_out == "γ 1.00 is at least 0.50"


def test_commands_of_github_end_where_they_should():
    line = workflow_command("100 %\n::set-output name=x::y\r", "a:b,c%")
    assert line == "::error title=a%3Ab%2Cc%25::100 %25%0A::set-output name=x::y%0D"
    check = Check("γ", ga.Value(0.1), 0.5, HOSTILE)
    assert "\n" not in workflow_command(check.message, check.name)


# --- the command line ---


def test_every_threshold_missed_is_a_message(novels):
    gamma, unitizing = novels
    asked = {
        "gamma=0.99": ("γ", gamma.gamma, 0.99),
        "gamma-k:PERX=1": ("γk PERX", gamma.gamma_k["PERX"], 1),
        "unitizing-alpha=0.9": ("uα", unitizing.u, 0.9),
        "unitizing-alpha-bar=0.9": ("|uα", unitizing.bar_u, 0.9),
        "unitizing-alpha-c=1": ("cuα", unitizing.cu, 1),
        "unitizing-alpha-k:PERSON=1": ("(PERSON)uα", unitizing.ku["PERSON"], 1),
    }
    families = ("--coefficients", "gamma,unitizing-alpha")
    done = run("measure", NOVELS, *QUICK, *families, "--fail-under", "gamma-cat=0.5," + ",".join(asked))
    expected = [f"gamma-align: error: {Check(*parts).message}" for parts in asked.values()]
    assert (done.returncode, done.stderr.splitlines()) == (1, expected)
    assert "corpus of 12 documents" in done.stdout


def test_thresholds_reached_say_nothing(corpus):
    done = run("measure", corpus, *QUICK, "--fail-under", "gamma=-5,gamma-cat=-5,gamma-k:x=-5")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_lower_bound_can_be_asked_for(novels):
    value = novels[0].gamma
    between = f"gamma={(value.low + value.value) / 2:.3f}"
    assert run("measure", NOVELS, *QUICK, "--fail-under", between).returncode == 0
    done = run("measure", NOVELS, *QUICK, "--fail-under", between, "--fail-by", "low")
    assert done.returncode == 1
    assert "error: the lower bound of γ 0.8" in done.stderr


def test_a_category_that_is_not_there_is_not_available(corpus):
    done = run("measure", corpus, *QUICK, "--fail-under", "gamma-k:X=-5,gamma=5")
    assert done.returncode == 4  # before what is too low
    assert "gamma-k:X is not available: no unit has this category; did you mean gamma-k:" in done.stderr
    assert ", missed by " in done.stderr


def test_a_value_that_is_not_available_is_one_message(tmp_path):
    path = tmp_path / "u.csv"
    path.write_text("annotator,start,end,category\nann,0,4,x\nbob,90,94,x\n", encoding="utf-8")
    done = run("measure", path, *QUICK, "--fail-under", "gamma-cat=0.5,gamma=-9")
    assert (done.returncode, done.stderr) == (
        4,
        "gamma-align: error: γcat is not available: no two units are aligned\n",
    )


def test_agreement_on_one_category_misses_its_threshold(tmp_path):
    path = tmp_path / "u.csv"
    path.write_text("annotator,start,end,category\nann,0,4,x\nbob,1,4,x\n", encoding="utf-8")
    for value in ("gamma-cat", "gamma-k:x"):
        done = run("measure", path, *QUICK, "--fail-under", f"{value}=0.9")
        assert done.returncode == 4
        assert f"is not available: {SAME_CATEGORIES}" in done.stderr


def test_categories_may_hold_any_sign(tmp_path):
    path = tmp_path / "u.csv"
    rows = 'ann,0,4,"a=b,c:d"\nbob,0,4,"a=b,c:d"\nann,9,12,x\nbob,9,12,x\n'
    path.write_text(f"annotator,start,end,category\n{rows}", encoding="utf-8")
    done = run("measure", path, *QUICK, "--fail-under", r"gamma-k:a=b\,c:d=2,gamma=-9")
    assert done.stderr.startswith("gamma-align: error: γk a=b,c:d 1.00")


def test_documents_have_test_cases_of_their_own(tmp_path, corpus):
    with corpus.open("a", encoding="utf-8") as file:
        file.write("d4,ann,0,2,x\nd4,bob,90,92,x\n")
    file = tmp_path / "junit.xml"
    arguments = ("--fail-under", "gamma=-5", "--fail-under-documents", "gamma=0.5,gamma-k:y=-9", "--junit", file)
    done = run("measure", corpus, *QUICK, *arguments)
    result = ga.gamma(corpus, samples=8)
    low = [document.document for document in result.documents if document.gamma < 0.5]
    assert done.returncode == 1
    assert low
    (suite,) = JUnitXml.fromfile(str(file))
    assert [case.name for case in suite if case.result and type(case.result[0]).__name__ == "Failure"] == [
        f"{name}: γ is at least 0.5" for name in low
    ]
    # γk of a category is checked where documents have it
    assert suite.tests == 1 + 4 + sum("y" in document.gamma_k for document in result.documents)
    assert [(one.name, one.value) for one in suite.properties()] == [("signature", result.signature)]
    first = file.read_bytes()
    run("measure", corpus, *QUICK, *arguments)
    assert file.read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-under", "0.7"], "'0.7' is not NAME=X, as in gamma=0.7"),
        (["--fail-under", "gama=0.7"], "there is no 'gama'; did you mean gamma"),
        (["--fail-under", "gamma-k=0.7"], "there is no 'gamma-k'; did you mean gamma-k:?"),
        (["--fail-under", "gamma-k:=0.7"], "there is no 'gamma-k:'"),
        (["--fail-under", "gamma=0.7,gamma=0.8"], "'gamma' is named twice"),
        (["--fail-under", "gamma=0.7,"], "contains an empty name"),
        (["--fail-under", "gamma=high"], "'high' is not a number"),
        (["--fail-under", "unitizing-alpha=0.7"], "unitizing-alpha is not measured; add --coefficients gamma,"),
        (["--fail-under-documents", "unitizing-alpha-c=0"], "argument --fail-under-documents: unitizing-alpha-c"),
        (["--junit", "x.xml"], "argument --junit: "),
        (["--fail-under", "gamma=1", "--junit", "{corpus}"], "argument --junit: {corpus} is named twice"),
        (["--fail-under", "gamma=1", "--junit", "no/x.xml"], "argument --junit: there is no folder"),
        (["--fail-under", "gamma=1", "--junit", "x", "-o", "x"], "argument --junit: "),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_before_anything_is_read(tmp_path, corpus, arguments, message):
    done = run("measure", corpus, *(argument.format(corpus=corpus) for argument in arguments), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message.format(corpus=corpus) in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["units.csv"]


def test_on_github_errors_are_annotations_and_the_summary_has_a_table(tmp_path, corpus, monkeypatch):
    summary = tmp_path / "summary.md"
    summary.write_text("of a step before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = run("measure", corpus, *QUICK, "--json", "--fail-under", "gamma=0.999,gamma-cat=-9")
    assert done.returncode == 1
    assert done.stderr.startswith(f"::error title=gamma-align measure {corpus}::γ 0.")
    assert done.stderr.count("\n") == 1
    assert done.stdout.startswith("{")  # stdout has the result alone
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("of a step before\n**gamma-align measure ")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert [row.split(" | ")[1:2] + row.split(" | ")[3:] for row in rows[2:]] == [
        ["γ", "0.999", "below |"],
        ["γcat", "-9", "passed |"],
    ]
    without = run("measure", corpus, *QUICK)
    assert (without.returncode, without.stderr) == (0, "")
    assert summary.read_text(encoding="utf-8") == text  # nothing is asked for


def test_a_summary_that_cannot_be_written_is_a_warning(tmp_path, corpus, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    done = run("measure", corpus, *QUICK, "--fail-under", "gamma=-9")
    assert done.returncode == 0
    assert "warning: cannot write the summary" in done.stderr


# --- evaluate and items ---


def test_evaluate_checks_every_system(tmp_path):
    result = ga.evaluate(NOVELS, reference="user3", measures=["spans"])
    file = tmp_path / "junit.xml"
    arguments = ("--reference", "user3", "--measures", "spans", "--quiet", "--junit", file)
    done = run("evaluate", NOVELS, *arguments, "--fail-under", "strict-f1=0.85,characters-recall=0.1")
    first, second = (Check("strict F1", system.spans["strict"].f1, 0.85, system.system) for system in result.systems)
    assert (first.outcome, second.outcome) == (PASSED, BELOW)
    assert (done.returncode, done.stderr) == (1, f"gamma-align: error: {second.message}\n")
    assert [suite.tests for suite in JUnitXml.fromfile(str(file))] == [4]


def test_evaluate_without_a_reference_checks_the_mean_of_pairs():
    mean = ga.pairwise_f1(NOVELS).mean["strict"]
    done = run("evaluate", NOVELS, "--quiet", "--fail-under", "strict-f1=0.99")
    message = Check("mean strict F1", mean, 0.99).message
    assert (done.returncode, done.stderr) == (1, f"gamma-align: error: {message}\n")


def test_evaluate_checks_agreement_and_segmentation(tmp_path):
    path = tmp_path / "u.csv"
    path.write_text("annotator,start,end\nann,0,5\nann,5,9\nbob,0,3\nbob,3,9\n", encoding="utf-8")
    options = ("--reference", "ann", "--measures", "gamma,unitizing-alpha,segmentation", *QUICK, "--no-categories")
    names = ("gamma", "gamma-cat", "unitizing-alpha", "b", "s")
    done = run("evaluate", path, *options, "--fail-under", ",".join(f"{name}=2" for name in names))
    symbols = [line.split()[3] for line in done.stderr.splitlines() if "bob: " in line]
    assert symbols == ["γ", "γcat", "uα", "B", "S"]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--measures", "spans", "--reference", "user3"], "gamma"),
        (["--measures", "gamma", "--reference", "user3"], "strict-f1"),
        ([], "gamma"),
        ([], "credit-f1"),
    ],
)
def test_evaluate_refuses_what_it_does_not_measure(arguments, name):
    done = run("evaluate", NOVELS, *arguments, "--fail-under", f"{name}=0.1")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{name} is not measured" in done.stderr


def test_items_take_other_names_of_coefficients_too(tmp_path):
    path, file = tmp_path / "items.csv", tmp_path / "junit.xml"
    path.write_text("a,b\nx,x\nx,y\ny,y\ny,y\n", encoding="utf-8")
    done = run("items", path, "--quiet", "--fail-under", "cohen=0.9,krippendorff=-1", "--junit", file)
    assert done.returncode == 1
    assert done.stderr.startswith("gamma-align: error: κ 0.50 [")
    (suite,) = JUnitXml.fromfile(str(file))
    assert [case.name for case in suite] == ["κ is at least 0.9", "α is at least -1"]


# --- pre-commit ---


def test_the_hooks_run_and_fail_as_they_should(tmp_path, corpus):
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    assert {hook["language"] for hook in hooks.values()} == {"python"}
    assert not any(hook["pass_filenames"] for hook in hooks.values())  # a corpus is measured as a whole

    def code(name, *arguments):
        first, *entry = shlex.split(hooks[name]["entry"])
        assert first == "gamma-align"
        return run(*entry, *arguments, cwd=tmp_path).returncode

    assert code("gamma-align-validate", corpus) == 0
    assert code("gamma-align-measure", corpus, "--samples", 8, "--fail-under", "gamma=-9") == 0
    assert code("gamma-align-measure", corpus, "--samples", 8, "--fail-under", "gamma=0.999") == 1
    corpus.write_text(ROWS.replace("6,9,y", "9,6,y"), encoding="utf-8")
    assert code("gamma-align-validate", corpus) == 3
    assert code("gamma-align-measure", corpus) == 3
