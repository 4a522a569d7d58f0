"""Tables of counts, contingency tables, tables with coders in rows and long tables are read as such, or refused."""

import numpy as np
import pandas as pd
import pytest

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.requests.shell import COMMAND_LINE

RANDOM = np.random.default_rng(3)
LABELS = ["GOOD", "BAD", "MIXED"]
CODERS = ["mira", "jonas", "tove", "lea"]
N_ITEMS = 30
TRUTH = RANDOM.choice(LABELS, N_ITEMS)
IS_COPIED = RANDOM.random((N_ITEMS, 4)) < 0.7
MATRIX = np.where(IS_COPIED, TRUTH[:, None], RANDOM.choice(LABELS, (N_ITEMS, 4))).tolist()
TABLE = ga.ItemTable.from_matrix(MATRIX, coders=CODERS)
ITEMS = [f"s{index}" for index in range(N_ITEMS)]


def value(table, coefficient="alpha"):
    return ga.item_coefficient(table, coefficient).value


def file(tmp_path, header, rows):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n")
    return path


def message_of(path, **options):
    with pytest.raises(InputError) as error:
        ga.read_items(path, **options)
    return error.value.render(COMMAND_LINE)


# ------------------------------------------------------------------------------------------- counts


COUNTS = [[row.count(label) for label in LABELS] for row in MATRIX]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (["item", *LABELS], [[item, *counts] for item, counts in zip(ITEMS, COUNTS, strict=True)]),
        (LABELS, COUNTS),
        (["Fall", *LABELS], [[item, *counts] for item, counts in zip(ITEMS, COUNTS, strict=True)]),
        (["item", *LABELS, "total"], [[item, *counts, 4] for item, counts in zip(ITEMS, COUNTS, strict=True)]),
        (["item", "n", "1", "2", "3"], [[item, 4, *counts] for item, counts in zip(ITEMS, COUNTS, strict=True)]),
        (["id", "question", "answer", "other"], [[k, *counts] for k, counts in enumerate(COUNTS)]),
    ],
    ids=["item", "no item", "own name", "total", "numbers", "names of texts"],
)
def test_rows_of_one_sum_are_counts(tmp_path, header, rows):
    table = ga.read_items(file(tmp_path, header, rows))
    assert value(table, "pi") == pytest.approx(value(TABLE, "pi"))
    assert (table.anonymous, len(table.categories)) == (True, 3)
    assert any("layout='wide'" in note for note in table.notes)


def test_a_question_about_counts_has_two_cures_that_work(tmp_path):
    counts = [
        [max(count - (index % 3 == column), 0) for column, count in enumerate(row)] for index, row in enumerate(COUNTS)
    ]
    path = file(tmp_path, ["Fall", *LABELS], [[item, *row] for item, row in zip(ITEMS, counts, strict=True)])
    assert "set --layout counts; if each column is a coder, set --coders GOOD,BAD,MIXED" in message_of(path)
    expected = value(ga.ItemTable.from_counts(counts, LABELS), "pi")
    assert value(ga.read_items(path, layout="counts"), "pi") == pytest.approx(expected)
    assert ga.read_items(path, coders=LABELS).coders == tuple(LABELS)


def test_one_hot_rows_and_percentages_are_no_judgments(tmp_path):
    one_hot = [[int(label == row[0]) for label in LABELS] for row in MATRIX]
    assert "one judgment of an item" in message_of(file(tmp_path, LABELS, one_hot))
    percentages = [[25 * count for count in row] for row in COUNTS]
    assert "percentages" in message_of(file(tmp_path, LABELS, percentages))


# ------------------------------------------------------------------------------- contingency tables


SQUARE = [[sum(row[:2] == [first, second] for row in MATRIX) for second in LABELS] for first in LABELS]
KAPPA = value(ga.ItemTable.from_contingency(SQUARE, LABELS), "kappa")
ROWS = [[label, *counts] for label, counts in zip(LABELS, SQUARE, strict=True)]
SUMS = np.sum(SQUARE, axis=0).tolist()


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (["", *LABELS], ROWS),
        (["mira", *LABELS], ROWS),
        (["", *LABELS], ROWS[::-1]),
        (["", *LABELS, "All"], [*([*row, sum(row[1:])] for row in ROWS), ["All", *SUMS, sum(SUMS)]]),
        (["", *LABELS, "All"], [[*row, sum(row[1:])] for row in ROWS]),
        (["", *LABELS], [*ROWS, ["Sum", *SUMS]]),
    ],
    ids=["no name", "name", "other order", "totals", "column of totals", "row of totals"],
)
def test_a_contingency_table_is_read_as_such(tmp_path, header, rows):
    assert value(ga.read_items(file(tmp_path, header, rows)), "kappa") == pytest.approx(KAPPA)


def test_a_crosstab_is_read_as_a_contingency_table():
    frame = pd.DataFrame(MATRIX, columns=CODERS)
    assert value(pd.crosstab(frame["mira"], frame["jonas"]), "kappa") == pytest.approx(KAPPA)


def test_numbers_may_name_items_and_coders(tmp_path):
    path = file(tmp_path, ["id", "1", "2", "3"], [[k + 1, *row] for k, row in enumerate(SQUARE)])
    assert "--layout contingency; if each column is a coder, set --layout wide" in message_of(path)
    assert value(ga.read_items(path, layout="contingency"), "kappa") == pytest.approx(KAPPA)
    assert ga.read_items(path, layout="wide").coders == ("1", "2", "3")


# ----------------------------------------------------------------------------------- coders in rows


TRANSPOSED = [[coder, *column] for coder, column in zip(CODERS, zip(*MATRIX, strict=True), strict=True)]


@pytest.mark.parametrize(
    ("header", "is_asked"),
    [
        (["rater", *ITEMS], False),
        (["worker_id", *(f"x{item}x" for item in ITEMS)], False),
        (["annotator", *ITEMS], False),
        (["", *(f"i{k}" for k in range(N_ITEMS))], False),
        (["id", *(f"q{k}" for k in range(N_ITEMS))], False),
        (["", *(f"x{item}x" for item in ITEMS)], True),
        (["Name", *map(str, range(N_ITEMS))], True),
    ],
)
def test_coders_in_rows_are_read_or_asked_about(tmp_path, header, is_asked):
    path = file(tmp_path, header, TRANSPOSED)
    if is_asked:
        assert "set --layout row-per-coder; if each column is a coder, set --layout wide" in message_of(path)
    table = ga.read_items(path, layout="row-per-coder" if is_asked else "auto")
    assert (table.coders, table.items) == (tuple(CODERS), tuple(header[1:]))
    assert value(table) == pytest.approx(value(TABLE))


def test_columns_beside_the_numbered_items_are_not_items(tmp_path):
    rows = [[coder, 30 + index, *cells] for index, (coder, *cells) in enumerate(TRANSPOSED)]
    table = ga.read_items(file(tmp_path, ["rater", "age", *ITEMS], rows))
    assert value(table) == pytest.approx(value(TABLE))
    assert any("'age'" in note for note in table.notes)


def test_many_persons_and_few_questions_are_asked_about(tmp_path):
    rows = [[f"p{person}", *RANDOM.integers(1, 6, 6)] for person in range(40)]
    path = file(tmp_path, ["id", *(f"q{k}" for k in range(6))], rows)
    assert "--layout row-per-coder" in message_of(path)
    assert len(ga.read_items(path, layout="row-per-coder").coders) == 40
    assert len(ga.read_items(path, layout="wide").coders) == 6


@pytest.mark.parametrize("make", [np.array, list])
def test_a_matrix_with_coders_in_rows_is_asked_about(make):
    matrix = make([cells for _, *cells in TRANSPOSED])
    with pytest.raises(InputError, match="layout='row-per-coder'"):
        ga.krippendorff_alpha(matrix)
    assert value(ga.ItemTable.from_matrix(matrix, layout="row-per-coder")) == pytest.approx(value(TABLE))
    assert len(ga.ItemTable.from_matrix(matrix).coders) == N_ITEMS


# ----------------------------------------------------------------------------- a row for each judgment


JUDGMENTS = [
    [item, coder, cell]
    for item, row in zip(ITEMS, MATRIX, strict=True)
    for coder, cell in zip(CODERS, row, strict=True)
]


def test_a_table_of_mechanical_turk_is_long(tmp_path):
    rows = [[f"n{k}", coder, item, cell, cell] for k, (item, coder, cell) in enumerate(JUDGMENTS)]
    header = ["!amt_annotation_ids", "!amt_worker_ids", "orig_id", "response", "gold"]
    assert value(ga.read_items(file(tmp_path, header, rows))) == pytest.approx(value(TABLE))


@pytest.mark.parametrize(
    "names",
    [
        ("Aufgabe", "Person", "Urteil"),
        ("HIT", "WorkerId", "mood"),
        ("document", "critic", "mood"),
        ("t", "w", "response"),
        ("unit", "annot", "val"),
    ],
)
@pytest.mark.parametrize("are_numbers", [False, True])
def test_the_cure_of_a_long_table_names_its_columns(tmp_path, names, are_numbers):
    rows = JUDGMENTS
    if are_numbers:
        rows = [[ITEMS.index(item), CODERS.index(coder), LABELS.index(cell)] for item, coder, cell in JUDGMENTS]
    rows = [rows[index] for index in RANDOM.permutation(len(rows))]
    path = file(tmp_path, names, rows)
    item, annotator, category = names
    cure = f"--column item={item} --column annotator={annotator} --column category={category}"
    assert cure in message_of(path)
    columns = {"item": item, "annotator": annotator, "category": category}
    assert value(ga.read_items(path, columns=columns)) == pytest.approx(value(TABLE))


# -------------------------------------------------------------------------- columns that are no coders


STAGES = RANDOM.integers(0, 4, 240)
RATINGS = np.stack([STAGES, np.where(RANDOM.random(240) < 0.8, STAGES, RANDOM.integers(0, 4, 240))], axis=1)
EPOCHS = np.arange(240)
NIGHTS, EPOCH_OF_NIGHT = EPOCHS // 40 + 1, EPOCHS % 40 + 1


@pytest.mark.parametrize("labels", [["0", "1", "2", "3"], ["W", "N1", "N2", "R"]])
@pytest.mark.parametrize(
    ("header", "ids", "named"),
    [
        (["abend", "lauf"], [NIGHTS, EPOCH_OF_NIGHT], ["abend", "lauf"]),
        (["abend"], [NIGHTS], ["abend"]),
        (["lauf"], [EPOCH_OF_NIGHT], ["lauf"]),
        (["lauf"], [EPOCHS % 3 + 1], ["lauf"]),
        (["person", "abend"], [EPOCHS // 120, NIGHTS % 3], ["abend"]),
        (["sekunde"], [30 * EPOCH_OF_NIGHT], ["sekunde"]),
    ],
)
def test_counters_and_blocks_are_no_coders(tmp_path, labels, header, ids, named):
    rows = [[*(column[k] for column in ids), *(labels[code] for code in RATINGS[k])] for k in range(240)]
    path = file(tmp_path, [*header, "r1", "r2"], rows)
    message = message_of(path)
    assert all(f"'{name}'" in message for name in named)
    assert "--coders r1,r2" in message
    assert value(ga.read_items(path, coders=["r1", "r2"])) == pytest.approx(value(RATINGS))


def test_night_and_epoch_name_the_items(tmp_path):
    rows = [[NIGHTS[k], EPOCH_OF_NIGHT[k], *RATINGS[k]] for k in range(240)]
    table = ga.read_items(file(tmp_path, ["night", "epoch", "r1", "r2"], rows))
    assert (table.coders, table.items[40]) == (("r1", "r2"), "2, 1")
    assert value(table) == pytest.approx(value(RATINGS))
