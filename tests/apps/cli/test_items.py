"""``gamma-align items``, and reading tables of items."""

import json
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import interrupted_in
from places import CORPORA

import gamma_align as ga
from gamma_align.api.items import coder_agreement
from gamma_align.apps.cli import main
from gamma_align.errors import InputError, SettingsError
from gamma_align.measures.items.spec import ERROR_REASONS, REASONS
from gamma_align.reading.tables.item_tables import read_items

LONG = "item,annotator,category\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n3,a,y\n3,b,y\n4,b,x\n"
WIDE = "item,a,b\n1,x,x\n2,y,x\n3,y,y\n4,,x\n"
NUMBERS = "a,b,c\n1,1,2\n3,3.0,4\n,5,5\n2,2,2\n"


@pytest.fixture
def file(tmp_path):
    def write(text, name="ratings.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def run(capsys, *arguments):
    code = main(["items", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def as_json(capsys, *arguments):
    code, out, _ = run(capsys, *arguments, "--json", "--quiet")
    return code, json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


# ------------------------------------------------------------------------------------------- reading


def test_long_and_wide_are_told_apart(file):
    assert read_items(file(LONG)).rows() == read_items(file(WIDE, "wide.csv")).rows()
    assert read_items(file(WIDE.replace(",", "\t"), "wide.tsv")).items == ("1", "2", "3", "4")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_file_with_a_byte_order_mark_is_read_as_that(file, encoding):
    table = read_items(file(LONG.replace("x", "é").encode(encoding)))
    assert (table.labels, table.items) == (("y", "é"), ("1", "2", "3", "4"))


def test_a_file_in_another_encoding_names_the_cure_and_is_read_with_it(file, capsys):
    path = file(LONG.replace("x", "é").encode("latin-1"))
    code, _, err = run(capsys, path)
    assert (code, "line 2: byte 0xe9" in err, "--encoding latin-1" in err) == (3, True, True)
    assert read_items(path, encoding="latin-1").labels == ("y", "é")
    assert run(capsys, path, "--encoding", "latin-1")[0] == 0
    with pytest.raises(SettingsError, match="there is no such encoding of files: 'klingon'"):
        read_items(path, encoding="klingon")


def test_numbers_in_text_are_numbers(file):
    table = read_items(file(NUMBERS))
    assert table.labels.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert table.rows()[1:3] == [("3", "3", "4"), (None, "5", "5")]
    assert read_items(file("item,annotator,category\n1,a,10\n1,b,9\n")).categories == ("9", "10")
    assert read_items(file("a,b\n1,x\n")).categories == ("1", "x")


def test_texts_that_mean_nothing_are_said(file):
    path = file("a,b\n1,unsure\n2,2\n")
    assert read_items(path).categories == ("1", "2", "unsure")
    assert read_items(path, na=["unsure"]).rows() == [("1", None), ("2", "2")]


def test_counts_contingency_and_sets(file):
    counts = read_items(file("item,x,y\ni,2,1\nj,0,3\n"), layout="counts")
    assert (counts.rows(), counts.anonymous) == ([("x", "x", "y"), ("y", "y", "y")], True)
    square = read_items(file(",x,y\nx,2,1\ny,0,1\n"), layout="contingency")
    assert square.rows() == [("x", "x"), ("x", "x"), ("x", "y"), ("y", "y")]
    sets = read_items(file("a,b\nx|y,x\n{},\n"), sets="|")
    assert sets.rows() == [("{x, y}", "{x}"), ("{}", None)]


def test_parquet_of_any_layout(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"doc": ["1", "1", "2"], "who": ["a", "b", "a"], "category": ["x", None, "y"]}), path)
    table = read_items(path, columns={"item": "doc", "annotator": "who"})
    assert table.rows() == [("x", None), ("y", None)]
    pq.write_table(pa.table({"a": [1, 2], "b": [1.0, None]}), path)
    assert read_items(path).rows() == [("1", "1"), ("2", None)]


def test_declared_categories_are_text_on_the_command_line_and_numbers_in_the_file(file):
    assert read_items(file(NUMBERS), categories=["5", "4", "3", "2", "1"]).labels.tolist() == [5.0, 4.0, 3.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("text", "name", "options", "message"),
    [
        ("", "r.csv", {}, "r.csv: the file is empty"),
        ("a,b\n", "r.csv", {}, "a header and no rows"),
        ("a,b\n1,2\n1,2,3\n", "r.csv", {}, "r.csv, line 3: the row has 3 cells, and most rows have 2"),
        ("a,a\n1,2\n", "r.csv", {}, "r.csv, line 1: column 'a' is there twice"),
        ('a,b\n"1,2\n', "r.csv", {}, "r.csv, line 2: the row has 1 cell, .*; quote cells"),
        (b"a,b\n\xff,1\n", "r.csv", {}, "r.csv, line 2: byte 0xff"),
        ("x", "r.doc", {}, "files named .doc are not read"),
        ("x", "r.parquet", {}, "r.parquet: not a Parquet file"),
        (LONG + "2,a,x\n", "r.csv", {}, "r.csv, line 9: coder 'a' has a second judgment of item '2'"),
        (WIDE + "4,x,x\n", "r.csv", {}, "r.csv, line 6: item '4' is repeated .first in line 5"),
        (WIDE, "r.csv", {"layout": "long"}, "no column 'annotator'; there are 'item', 'a', 'b'"),
        (WIDE, "r.csv", {"categories": ["x"]}, "line 3: the category 'y' is not declared"),
        ("item,x\ni,two\n", "r.csv", {"layout": "counts"}, "line 2: x is 'two'; a count must be a whole number"),
    ],
)
def test_files_that_are_no_table_are_refused(file, text, name, options, message):
    with pytest.raises(InputError, match=message):
        read_items(file(text, name), **options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("document,annotator,start,end,category\nd,a,1,2,x\n", "columns 'start' and 'end' may be bounds of units"),
        ("thing,annotator\nd,a\n", "no column 'item'"),
        ("item,annotator,judged\n1,a,x\n", "no column 'category'"),
        ("item,category\n1,x\n", "no column 'annotator'"),
    ],
)
def test_other_tables_are_not_taken_for_wide_ones(file, text, message):
    with pytest.raises(InputError, match=message):
        read_items(file(text))
    assert read_items(file(text), layout="wide").coders


def test_a_header_that_may_be_judgments_is_told(file):
    path = file("1,2\n1,2\n2,2\n1,1\n")
    assert "the header is taken as names of coders: '1', '2'" in read_items(path).notes[0]
    assert read_items(file("a,b\n1,2\n")).notes == ()
    assert read_items(file(LONG)).notes == ()


def test_paths_that_are_no_file_are_refused(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_items(tmp_path / "none.csv")
    with pytest.raises(InputError, match="folder"):
        read_items(tmp_path)


def test_a_column_that_does_not_exist_in_the_options(file):
    with pytest.raises(SettingsError, match=r"names of columns can be given for .*, not for 'rater'; correct columns="):
        read_items(file(LONG), columns={"rater": "annotator"})


# --------------------------------------------------------------------------------------- the command


def test_the_options_for_doubtful_columns_cure_what_they_are_printed_for(file, capsys):
    judgments = ["x,x", "y,y", "x,y", "y,y", "x,x", "x,x", "y,x", "y,y", "x,x", "y,y"]
    rows = "".join(f"u{number},{pair},{'why?' if number == 4 else ''}\n" for number, pair in enumerate(judgments))
    path = file(f'utt,ann,"Ben, B.",bemerkung\n{rows}')
    code, _, err = run(capsys, path)
    assert code == 3
    assert """--coders 'ann,"Ben, B."'""" in err
    code, result = as_json(capsys, path, "--coders", 'ann,"Ben, B."', "--column", "item=utt")
    bare = file("ann,ben\n" + "".join(f"{pair}\n" for pair in judgments), "bare.csv")
    assert (code, result["coefficients"]) == (0, as_json(capsys, bare)[1]["coefficients"])
    assert result["table"]["coders"] == 2
    assert result["notes"][0] == "ratings.csv: columns that are not read as coders: 'bemerkung'"


def test_text_for_people(file, capsys):
    code, out, err = run(
        capsys, file(WIDE), "--by-category", "--by-item", "--threshold", "0.67", "--scale", "landis-koch"
    )
    assert code == 0
    assert out.startswith("4 items, 2 coders, 2 observed categories, 7 judgments (12.5% missing)\n")
    for part in ("P(< 0.67)", "interval: jackknife over items", "bias B", "prevalence index", "largest κ possible"):
        assert part in out
    for part in ("each category against all others", "items of the largest disagreement", "no single threshold suits"):
        assert part in out
    assert out.splitlines()[-1].startswith("A_o,S,π,κ,α,AC₁|items:4|coders:2|")
    assert "S and AC₁ depend on the number of categories" in err


def test_the_observed_agreement_with_a_distance_names_the_largest_distance(file, capsys):
    numbers = "item,a,b\n1,1,3\n2,2,2\n3,3,1\n4,1,2\n5,2,2\n"
    _, out, _ = run(capsys, file(numbers), "--distance", "interval")
    assert "A_o is 1 - D_o/d_max: d_max = 4 is the largest distance of two categories" in out
    assert "d_max" not in run(capsys, file(numbers))[1]
    table = ga.ItemTable.from_matrix([[1, 3], [2, 2], [3, 1], [1, 2], [2, 2]])
    agreement = ga.item_coefficient(table, "observed", distance="interval")
    assert agreement.value == pytest.approx(1 - (4 + 4 + 1) / 5 / 4)


def test_json_has_everything(file, capsys):
    code, found = as_json(
        capsys,
        file(WIDE),
        "--by-category",
        "--by-item",
        "--threshold",
        "0.5",
        "--scale",
        "green",
        "--coefficients",
        "alpha,kappa-mean",
    )
    assert code == 0
    assert list(found["coefficients"]) == ["alpha", "kappa-mean"]
    table = read_items(file(WIDE))
    alpha = ga.krippendorff_alpha(table)
    assert found["coefficients"]["alpha"]["value"] == alpha.value
    assert found["threshold"]["probability_below"]["alpha"] == alpha.probability_below(0.5)
    assert found["scale"]["words"]["alpha"] == alpha.word("green")
    assert [one["category"] for one in found["by_category"]] == ["x", "y"]
    assert found["by_item"]["disagreement"] == [0.0, 1.0, 0.0, None]
    assert found["settings"]["distance"] == {"name": "nominal"}


def test_csv_is_a_row_a_coefficient(file, capsys):
    code, out, _ = run(capsys, file(WIDE), "--csv", "--coefficients", "pi,alpha", "--interval", "none")
    head, first, second = out.splitlines()
    assert code == 0
    assert head.startswith("name,symbol,value,low,high,error,")
    assert first.startswith("pi,π,")
    assert second.split(",")[3:6] == ["", "", ""]


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (["--distance", "ordinal"], {"distance": "ordinal"}),
        (["--distance", "circular:12"], {"distance": ga.distances.Circular(12)}),
        (["--missing", "PL"], {"missing": "PL"}),
        (["--missing", "RM", "--distance", "ratio"], {"missing": "RM", "distance": "ratio"}),
        (
            ["--interval", "bootstrap", "--replicates", "50", "--seed", "3"],
            {"interval": "bootstrap", "replicates": 50, "seed": 3},
        ),
        (["--level", "0.8"], {"level": 0.8}),
        (["--interval", "none"], {"interval": None}),
    ],
)
def test_options_are_what_the_function_takes(file, capsys, arguments, call):
    path = file(NUMBERS)
    _, found = as_json(capsys, path, *arguments)
    expected = json.loads(json.dumps(ga.item_agreement(read_items(path), **call).to_dict()))
    assert found["coefficients"] == expected["coefficients"]
    assert found["settings"] == expected["settings"]


def test_a_matrix_and_a_taxonomy_from_files(file, capsys):
    path = file(WIDE)
    matrix = file(",x,y\nx,0,2\ny,2,0\n", "d.csv")
    _, found = as_json(capsys, path, "--distance-matrix", matrix)
    assert found["settings"]["distance"]["values"] == [[0.0, 2.0], [2.0, 0.0]]
    tree = file("r,x\nr,y\n", "tree.csv")
    for name in ("melamed-resnik", "path", "extended-senses"):
        _, found = as_json(capsys, path, "--taxonomy", tree, "--distance", name)
        assert found["settings"]["distance"]["name"] == name
    _, found = as_json(capsys, path, "--taxonomy", tree)
    assert found["settings"]["distance"]["name"] == "melamed-resnik"


def test_two_coders_have_a_confusion_matrix(file, capsys):
    _, out, _ = run(capsys, file(WIDE))
    assert "items by category of a (rows) and b (columns)\n     x  y\n  x  1  0\n  y  1  1\n" in out
    _, found = as_json(capsys, file(WIDE))
    (pair,) = found["by_pair"]
    assert (pair["coders"], pair["items"], pair["confusion"]) == (["a", "b"], 3, [[1, 0], [1, 1]])
    assert (pair["kappa"]["value"], pair["kappa_max"]) == pytest.approx((0.4, 0.4))
    assert found["chance"]["kappa_max"] == pytest.approx(0.4)


def test_three_coders_are_compared_two_by_two(file, capsys):
    path = file(NUMBERS)
    _, out, _ = run(capsys, path)
    assert "every two coders, on the items both judged" in out
    assert "items by category of" not in out
    _, out, _ = run(capsys, path, "--by-pair")
    assert out.count("items by category of") == 3
    _, found = as_json(capsys, path, "--by-pair", "--distance", "interval")
    table = read_items(path)
    matrix = coder_agreement(table, distance="interval")
    assert [pair["kappa"]["value"] for pair in found["by_pair"]] == [matrix[0, 1], matrix[0, 2], matrix[1, 2]]
    assert found["by_pair"][1]["confusion"] == ga.confusion_matrix(table, "a", "c").astype(int).tolist()
    _, out, _ = run(capsys, path, "--by-pair", "--csv")
    rows = [line.split(",") for line in out.splitlines()]
    assert rows[0] == ["first", "second", "items", "kappa", "kappa_max", "first_category", "second_category", "count"]
    assert [row[:3] for row in rows[1:4]] == [["a", "b", "3"]] * 3
    assert sum(int(row[-1]) for row in rows[1:]) == 3 + 3 + 4


def test_many_coders_or_categories_are_compared_on_request_only(file, capsys):
    many = file("a,b\n" + "".join(f"{at},{at}\n" for at in range(25)))
    _, out, _ = run(capsys, many)
    assert "items by category of" not in out
    _, out, _ = run(capsys, many, "--by-pair")
    assert "a, b: too many categories for a table; --json has them" in out
    apart = file("a,b\nx,\n,y\nx,\n", "apart.csv")
    _, out, _ = run(capsys, apart, "--by-pair", "--csv")
    assert out.splitlines()[1] == "a,b,0,,,,,"
    counts = file("item,x,y\ni,2,1\nj,0,3\n", "counts.csv")
    _, out, _ = run(capsys, counts, "--layout", "counts", "--by-pair")
    assert "every two coders" not in out


def test_models_of_who_is_sure(file, capsys):
    path = file(WIDE)
    _, out, _ = run(capsys, path, "--aickin", "--latent-classes", "1")
    assert f"the share of items that are easy: {ga.aickin(read_items(path)).value:.4f}" in out
    assert "1 latent class: log-likelihood" in out
    _, found = as_json(capsys, path, "--aickin", "--latent-classes", "1")
    model = ga.latent_classes(read_items(path), classes=1)
    assert found["aickin"] == ga.aickin(read_items(path)).to_dict()
    assert found["latent_classes"] == json.loads(json.dumps(model.to_dict()))
    _, out, _ = run(capsys, path, "--aickin", "--csv")
    assert out.splitlines()[-1].startswith("aickin,a,0.")
    _, out, _ = run(capsys, path, "--latent-classes", "2")
    assert "latent classes: NA (too few coders for so many classes)" in out
    rows = np.random.default_rng(1).integers(0, 2, size=(60, 4))
    four = file("a,b,c,d\n" + "".join(",".join(map(str, row)) + "\n" for row in rows), "four.csv")
    _, out, _ = run(capsys, four, "--latent-classes", "2", "--interval", "none")
    assert "2 latent classes: log-likelihood" in out
    assert ", 6 degrees of freedom" in out
    assert "expected fewer than five times" in out


def test_chance_from_another_file(file, capsys):
    path, whole = file(WIDE), file(WIDE + "5,y,y\n6,x,y\n", "whole.csv")
    _, found = as_json(capsys, path, "--expected-from", whole)
    expected = ga.krippendorff_alpha(read_items(path), expected_from=read_items(whole))
    assert found["coefficients"]["alpha"]["value"] == expected.value
    assert found["settings"]["expected_from"]["items"] == 6
    code, _, err = run(capsys, file("a,b\nz,x\n", "z.csv"), "--expected-from", path)
    assert code == 3
    assert "the category 'z' is not declared" in err
    code, _, err = run(capsys, path, "--expected-from", whole, "-o", whole)
    assert code == 2
    assert "is named twice" in err


def test_csv_says_why_there_is_no_interval(file, capsys):
    _, out, _ = run(capsys, file("a,b\nx,x\ny,y\nx,x\n"), "--csv", "--interval", "linearised", "--coefficients", "pi")
    head, row = (line.split(",") for line in out.splitlines())
    assert dict(zip(head, row, strict=True))["error_reason"].startswith("fewer than two items disagree")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--distance", "euclid"], 2, "argument --distance: distance must be one of"),
        (["--distance", "circular"], 2, "argument --distance: the circular distance needs its period; append it to"),
        (["--distance", "path"], 2, "the path distance needs its taxonomy"),
        (["--distance", "ordinal", "--taxonomy", "{tree}"], 2, "the ordinal distance has no taxonomy; melamed-res"),
        (["--distance", "ratio", "--distance-matrix", "{tree}"], 2, "it sets all distances"),
        (["--distance", "ordinal"], 3, "ratings.csv: the ordinal distance needs an order"),
        (["--distance", "interval"], 3, "ratings.csv: the interval distance is for numbers"),
        (["--distance-matrix", "{tree}"], 3, "tree.csv:2: 'y' in the column of 'x' is not a number of 0 or more"),
        (["--taxonomy", "{wide}"], 3, "a row of a taxonomy is a node and one of its daughters"),
        (["--taxonomy", "{circle}"], 3, "the taxonomy has a cycle"),
        (["--taxonomy", "no.csv"], 3, "cannot read no.csv"),
        (["--coefficients", "gamma"], 2, "there is no coefficient 'gamma'"),
        (["--coefficients", "pi,,alpha"], 2, "has an empty part"),
        (["--column", "rater=a"], 2, "is not item=…, annotator=… or category=…"),
        (["--column", "annotator=who", "--layout", "long"], 3, "no column 'who'"),
        (["--level", "1"], 2, "must be between 0 and 1"),
        (["--fail-under", "0.7"], 2, "is not NAME=X"),
        (["--fail-under", "conger=0.7"], 2, "kappa-conger is not measured; add it to the --coefficients"),
        (["--fail-under", "alpha=0.99"], 1, "α 0.44 [-0.90, 0.98] is below 0.99, missed by 0.55"),
        (["--fail-under", "ac1=0.1", "--categories", "x,y"], 0, ""),
        (["-o", "{wide}"], 2, "is named twice; it would be overwritten"),
        (["--categories", "x"], 3, "the category 'y' is not declared"),
        (["--layout", "contingency"], 3, "give a column of labels and a column of counts for each"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(file, capsys, arguments, code, message):
    wide = file(WIDE)
    files = {"wide": wide, "tree": file("r,x\nr,y\n", "tree.csv"), "circle": file("a,b\nb,a\n", "circle.csv")}
    found, _, err = run(capsys, wide, *[argument.format(**files) for argument in arguments])
    assert found == code
    assert message in err


def test_nothing_available_is_exit_code_4(file, capsys):
    code, out, err = run(capsys, file("a,b\nx,x\nx,x\n"), "--coefficients", "pi,alpha")
    assert code == 4
    assert "NA (1)" in out
    assert "(1) no disagreement by chance: a single category" in out
    assert "no coefficient is available: no disagreement by chance" in err
    code, _, err = run(capsys, file("item,x,y\ni,2,1\nj,0,3\n"), "--layout", "counts", "--fail-under", "kappa=0.1")
    assert code == 4
    assert "is not available: the table does not say who judged what" in err


def test_output_goes_to_a_file_whole(file, capsys, tmp_path):
    target = tmp_path / "out.json"
    code, out, _ = run(capsys, file(WIDE), "--json", "-o", target, "--quiet")
    assert (code, out) == (0, "")
    assert json.loads(target.read_text())["table"]["items"] == 4


def test_strange_labels_do_not_upset_the_terminal(file, capsys):
    _, out, _ = run(capsys, file('a,b\n"\x1b[31mred\n",日本\n日本,日本\n'), "--by-category")
    assert "\x1b" not in out
    assert "\\x1b[31mred" in out


@pytest.mark.surfaces
def test_ctrl_c_ends_with_130(file):
    done = interrupted_in("replicates.py", "items", file(NUMBERS), "--interval", "bootstrap")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "gamma-align: error: interrupted\n")


def test_the_sleep_corpus_reads_fast_and_without_notes():
    table = read_items(CORPORA / "items" / "dreem_dodh_epochs.parquet")
    assert (len(table), len(table.coders), table.categories) == (25440, 5, ("N1", "N2", "N3", "REM", "Wake"))
    assert ga.krippendorff_alpha(table).value == pytest.approx(0.7056, abs=5e-5)


def test_reasons_are_one_documented_list():
    assert len(set(REASONS) & set(ERROR_REASONS)) == 0
    assert len(set(REASONS + ERROR_REASONS)) == len(REASONS) + len(ERROR_REASONS)


# ------------------------------------------------------------------------------------- the experiment


@pytest.mark.surfaces
def test_a_closed_stdout_is_no_error(file):
    command = f"{sys.executable} -m gamma_align.apps.cli items {file(WIDE)} | head -c 0"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False, env=os.environ
    )
    assert "Traceback" not in done.stderr
