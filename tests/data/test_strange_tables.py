"""Tables of items as people bring them: read as they are meant, or asked about with commands that read them so."""

from __future__ import annotations

import csv
import io
import re
import shlex

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.requests.shell import COMMAND_LINE

RANDOM = np.random.default_rng(11)
N_ITEMS = 40
CODERS = ("Anna", "Ben", "Clara")
TRUTH = RANDOM.choice(["pos", "neg", "neu"], N_ITEMS)
JUDGMENTS = {
    name: np.where(RANDOM.random(N_ITEMS) < 0.75, TRUTH, RANDOM.choice(["pos", "neg", "neu"], N_ITEMS)).tolist()
    for name in CODERS
}
LEVELS = RANDOM.integers(1, 6, N_ITEMS)
RATINGS = {name: np.clip(LEVELS + RANDOM.choice([-1, 0, 0, 0, 1], N_ITEMS), 1, 5).tolist() for name in CODERS}
IDS = [f"t{number:02}" for number in range(N_ITEMS)]
PEOPLE = [[*row] for row in zip(*RATINGS.values(), strict=True)]


def alpha(columns, **options):
    labels = sorted({str(cell) for cells in columns.values() for cell in cells if cell is not None})
    table = ga.ItemTable.from_columns(columns, layout="wide", categories=labels)
    return ga.krippendorff_alpha(table, **options).value


ALPHA = alpha(JUDGMENTS)
ALPHA_OF_RATINGS = alpha(RATINGS)


def write(tmp_path, columns, delimiter=",", encoding="utf-8", header=True, quoting=csv.QUOTE_MINIMAL):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writerows([*([[*columns]] if header else []), *zip(*columns.values(), strict=True)])
    path = tmp_path / "table.csv"
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def question_of(path):
    with pytest.raises(InputError) as error:
        ga.read_items(path)
    return error.value.render(COMMAND_LINE)


def answers(path, message):
    """Return the α of the table as each command in a question reads it."""
    found = []
    for command in re.findall(r"(?:--[a-z]+ (?:'[^']*'|[^\s;]+) ?)+", message):
        words = shlex.split(command)
        options = {}
        for name, value in zip(words[::2], words[1::2], strict=True):
            if name == "--column":
                options.setdefault("columns", {}).update([value.split("=", 1)])
            else:
                options[name[2:]] = value.split(",") if name in ("--coders", "--na", "--categories") else value
        found.append(ga.krippendorff_alpha(ga.read_items(path, **options)).value)
    return found


def long_of(*names, **further):
    order = RANDOM.permutation(3 * N_ITEMS).tolist()
    rows = [(IDS[k // 3], CODERS[k % 3], JUDGMENTS[CODERS[k % 3]][k // 3]) for k in order]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return {**columns, **{name: [make(k // 3) for k in order] for name, make in further.items()}}


# ----------------------------------------------------------------------------------------- languages


@pytest.mark.parametrize(
    ("columns", "delimiter", "encoding"),
    [
        ({"identifiant": IDS, **JUDGMENTS, "remarque": ["à revoir", *[""] * 39]}, ",", "utf-8"),
        ({"Nr.": range(N_ITEMS), "Satz": IDS, **JUDGMENTS, "Bemerkung": ["unklar", *[""] * 39]}, ";", "utf-8-sig"),
        ({"número": range(N_ITEMS), "texto": IDS, **JUDGMENTS, "confianza": [0.5] * 40}, "\t", "utf-16"),
        ({"Dokument": [k // 10 for k in range(40)], "Satz": [k % 10 for k in range(40)], **JUDGMENTS}, ",", "utf-8"),
        ({"номер": IDS, **JUDGMENTS, "Zeitstempel": [f"2024-03-01 09:{k}" for k in range(40)]}, ",", "utf-8"),
        (long_of("Einheit", "Kodierer", "Kategorie"), ";", "utf-8"),
        (long_of("énoncé", "annotateur", "étiquette"), ";", "utf-8-sig"),
        (long_of("oración", "anotador", "categoría", gold=lambda item: TRUTH[item]), ",", "utf-8"),
    ],
)
def test_columns_have_names_in_many_languages(tmp_path, columns, delimiter, encoding):
    table = ga.read_items(write(tmp_path, columns, delimiter, encoding))
    assert table.coders == CODERS
    assert ga.krippendorff_alpha(table).value == pytest.approx(ALPHA)


@pytest.mark.parametrize(
    "name",
    [
        *("gold", "Referenz", "Mehrheit", "Endgültig", "Konsens", "référence", "vérité", "consenso", "resolved"),
        *("ref_label", "final_code", "after discussion", "prediction", "label", "Kategorie"),
    ],
)
def test_a_reference_is_asked_about(tmp_path, name):
    path = write(tmp_path, {"id": IDS, **JUDGMENTS, name: TRUTH.tolist()})
    assert answers(path, question_of(path)) == [ALPHA]


def test_a_word_for_a_reference_in_the_names_of_all_coders_means_nothing(tmp_path):
    judged = {f"Final {name}": cells for name, cells in JUDGMENTS.items()}
    assert len(ga.read_items(write(tmp_path, {"id": IDS, **judged})).coders) == 3
    path = write(tmp_path, {"id": IDS, **judged, "Final": TRUTH.tolist()})
    assert answers(path, question_of(path)) == [ALPHA]


def test_grades_are_categories(tmp_path):
    grades = {name: ["A", "A-", "B+", "B"][:4] * 10 for name in CODERS}
    assert len(ga.read_items(write(tmp_path, {"id": IDS, **grades})).categories) == 4


# --------------------------------------------------------------------- columns that the others explain


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("x", [round(sum(row) / 3, 2) for row in PEOPLE], "it is the mean of the others"),
        ("x", [sorted(row)[1] for row in PEOPLE], "it is the median of the others"),
        ("x", [max(row) for row in PEOPLE], "it is the highest value of the others"),
        ("x", [int(len(set(row)) == 1) for row in PEOPLE], "it tells where the others agree"),
        ("x", RANDOM.integers(1, 6, N_ITEMS).tolist(), "it hardly agrees with the others"),
        ("Bedingung", RANDOM.integers(1, 4, N_ITEMS).tolist(), "its name is that of a group or condition"),
    ],
)
def test_a_column_that_is_no_judgment_is_asked_about(tmp_path, name, values, reason):
    path = write(tmp_path, {"id": IDS, **RATINGS, name: values})
    message = question_of(path)
    assert f"'{name}' ({reason}" in message
    assert answers(path, message) == [ALPHA_OF_RATINGS]


@pytest.mark.parametrize(
    ("name", "make", "reason"),
    [
        ("x", lambda first, second: (first + second) / 2, "it is the mean of the others"),
        ("x", lambda first, second: first - second, "it is the difference of the others"),
        ("x", lambda first, second: abs(first - second), "it is the difference of the others"),
        ("Cons.", max, r"its name is not in the series 'C1' and 'C2'"),
    ],
)
def test_what_two_coders_result_in_is_asked_about(tmp_path, name, make, reason):
    two = [*RATINGS.values()][:2]
    names = ("C1", "C2") if name == "Cons." else CODERS[:2]
    columns = {**dict(zip(names, two, strict=True)), name: [make(*pair) for pair in zip(*two, strict=True)]}
    path = write(tmp_path, {"Segment": IDS, **columns})
    message = question_of(path)
    assert reason in message.replace("', 'C2", "' and 'C2")
    assert answers(path, message) == [alpha(dict(zip(names, two, strict=True)))]


def test_a_coder_of_a_numbered_series_may_agree_with_nobody(tmp_path):
    ratings = {f"rater{number}": column for number, column in enumerate(RATINGS.values())}
    columns = {"id": IDS, **ratings, "rater3": RANDOM.integers(1, 6, N_ITEMS).tolist()}
    assert len(ga.read_items(write(tmp_path, columns)).coders) == 4


@pytest.mark.parametrize(
    "names",
    [
        [(f"{coder}_tone", f"{coder}_style") for coder in CODERS],
        [(f"tone.{coder}", f"style.{coder}") for coder in CODERS],
        [(f"tone{number}", f"style{number}") for number in (1, 2, 3)],
        [(coder, f"{coder} sure") for coder in CODERS],
        [(coder, f"sure {coder}") for coder in CODERS],
    ],
)
def test_columns_of_two_variables_are_asked_about(tmp_path, names):
    columns = {"id": IDS}
    for pair, judged in zip(names, RATINGS.values(), strict=True):
        columns |= {pair[0]: judged, pair[1]: RANDOM.integers(1, 6, N_ITEMS).tolist()}
    path = write(tmp_path, columns)
    assert ALPHA_OF_RATINGS in answers(path, question_of(path))


def test_properties_are_asked_about(tmp_path):
    columns = dict(zip(("Flüssigkeit", "Angemessenheit", "Relevanz"), RATINGS.values(), strict=True))
    assert "its name is that of a property" in question_of(write(tmp_path, {"id": IDS, **columns}))


def test_a_row_of_sums_is_no_item(tmp_path):
    columns = {"id": [*IDS, "Summe"], **{name: [*judged, sum(judged)] for name, judged in RATINGS.items()}}
    assert "line 42: by 'Summe' in column 'id', the row has sums or means" in question_of(write(tmp_path, columns))


# ---------------------------------------------------------------------------------------- long tables


def test_the_judgment_of_a_long_table_is_not_told_by_its_item(tmp_path):
    columns = long_of("item", "annotator", "label", category=lambda item: ("news", "blog")[item % 2])
    path = write(tmp_path, columns)
    message = question_of(path)
    assert "'category' has one value for each item, and 'label' has several" in message
    assert answers(path, message) == [pytest.approx(ALPHA), 1.0]


def test_a_category_of_one_value_is_no_judgment(tmp_path):
    columns = long_of("item", "annotator", "mood", type=lambda _: "tweet")
    path = write(tmp_path, columns)
    assert "'type' has one value for each item, and 'mood' has several" in question_of(path)


def test_items_that_begin_again_in_each_document_are_named_with_it(tmp_path):
    columns = long_of("id", "rater", "score")
    columns["document"] = [f"d{int(name[1:]) // 10}" for name in columns["id"]]
    columns["id"] = [int(name[1:]) % 10 for name in columns["id"]]
    table = ga.read_items(write(tmp_path, columns))
    assert len(table) == N_ITEMS
    assert ga.krippendorff_alpha(table).value == pytest.approx(ALPHA)


def test_rounds_of_a_long_table_have_a_map(tmp_path):
    columns = long_of("item", "annotator", "label")
    twice = {name: [*cells, *cells] for name, cells in columns.items()}
    path = write(tmp_path, {**twice, "round": [1] * 120 + [2] * 120})
    message = question_of(path)
    assert "'round' tells them apart" in message
    assert answers(path, message) == [pytest.approx(ALPHA)]


# ------------------------------------------------------------------------------------- tables without header


@pytest.mark.parametrize("names", [IDS, range(N_ITEMS)])
def test_a_first_line_of_judgments_is_asked_about(tmp_path, names):
    path = write(tmp_path, {"id": names, **JUDGMENTS}, header=False)
    assert answers(path, question_of(path))[0] == ALPHA


def test_a_first_line_of_fractions_is_asked_about(tmp_path):
    measured = {name: [value + round(RANDOM.random(), 2) for value in judged] for name, judged in RATINGS.items()}
    path = write(tmp_path, measured, header=False)
    assert answers(path, question_of(path))[0] == pytest.approx(alpha(measured))


def test_bounds_of_units_are_no_judgments(tmp_path):
    columns = {"": range(N_ITEMS), "start_seconds": range(N_ITEMS), "stop_seconds": range(1, N_ITEMS + 1)}
    assert "columns 'start_seconds' and 'stop_seconds' may be bounds" in question_of(write(tmp_path, columns))


def test_a_first_line_of_a_long_table_is_asked_about(tmp_path):
    path = write(tmp_path, long_of("item", "annotator", "label"), header=False)
    assert answers(path, question_of(path))[0] == pytest.approx(ALPHA)


# ------------------------------------------------------------------------------------------------ numbers


@pytest.mark.parametrize("code", ["999", "-99", "-1", "9", "99"])
def test_numbers_far_from_a_scale_may_be_missing(tmp_path, code):
    ratings = {name: [code if k % 9 == 0 else value for k, value in enumerate(RATINGS[name])] for name in CODERS}
    path = write(tmp_path, {"id": IDS, **ratings})
    missing = alpha({name: [None if value == code else value for value in judged] for name, judged in ratings.items()})
    assert answers(path, question_of(path))[0] == pytest.approx(missing)
    table = {name: np.array(judged, dtype=np.int64) for name, judged in ratings.items()}
    with pytest.raises(InputError, match=f"'{code}' .15 cells. may mean a missing judgment"):
        ga.ItemTable.from_columns(table)
    assert ga.krippendorff_alpha(ga.ItemTable.from_columns(table, na=[code])).value == pytest.approx(missing)


@pytest.mark.parametrize("values", [[-1, 0, 1], [0, 1, 2, 9, 10], [1, 2, 9, 100], [-2, -1, 0, 1, 2], [9, 99]])
def test_numbers_of_a_scale_are_no_words_for_missing(values):
    first = [values[k % len(values)] for k in range(N_ITEMS)]
    assert ga.ItemTable.from_columns({"Anna": first, "Ben": first}).n_categories == len(values)


@pytest.mark.parametrize(("delimiter", "quoting"), [(";", csv.QUOTE_MINIMAL), (",", csv.QUOTE_ALL)])
def test_decimal_commas_are_numbers(tmp_path, delimiter, quoting):
    measured = {name: [value + round(RANDOM.random(), 1) for value in judged] for name, judged in RATINGS.items()}
    texts = {name: [f"{value:g}".replace(".", ",") for value in judged] for name, judged in measured.items()}
    table = ga.read_items(write(tmp_path, {"id": IDS, **texts}, delimiter, quoting=quoting))
    expected = alpha(measured, distance="interval")
    assert ga.krippendorff_alpha(table, distance="interval").value == pytest.approx(expected)
    assert any("decimal commas" in note for note in table.notes)


def test_lists_of_numbers_are_no_decimals(tmp_path):
    lists = ["1,2", "1,3", "2,3", "1", "2", "3", "2", "1"] * 5
    message = question_of(write(tmp_path, {"id": IDS, "Anna": lists, "Ben": lists}, ";"))
    assert "categories may be several labels with ',' between them" in message


def test_a_text_among_ratings_may_be_missing(tmp_path):
    ratings = {name: ["*?*" if k % 9 == 0 else value for k, value in enumerate(RATINGS[name])] for name in CODERS}
    path = write(tmp_path, {"id": IDS, **ratings})
    missing = alpha({name: [None if value == "*?*" else value for value in judged] for name, judged in ratings.items()})
    assert answers(path, question_of(path))[0] == pytest.approx(missing)


def test_spellings_of_one_category_are_asked_about(tmp_path):
    judged = {
        name: [label.title() if k % 7 == 0 else label for k, label in enumerate(JUDGMENTS[name])] for name in CODERS
    }
    path = write(tmp_path, {"id": IDS, **judged})
    message = question_of(path)
    assert "categories differ in case, blanks and hyphens alone: 'Neg' and 'neg'" in message
    assert answers(path, message) == [pytest.approx(alpha(judged))]


# ------------------------------------------------------------------------------------------------ other forms


def test_columns_of_each_label_are_no_counts(tmp_path):
    columns = {
        f"{coder}_{label}": [int(cell == label) for cell in JUDGMENTS[coder]]
        for coder in CODERS
        for label in ("pos", "neg", "neu")
    }
    assert "columns are named by pairs of 'Anna', 'Ben', 'Clara'" in question_of(
        write(tmp_path, {"id": IDS, **columns})
    )


def test_shares_are_no_judgments(tmp_path):
    rows = [*zip(*JUDGMENTS.values(), strict=True)]
    shares = {label: [f"{row.count(label) / 3:.2f}" for row in rows] for label in ("pos", "neg", "neu")}
    assert "each row adds up to 1, as shares do" in question_of(write(tmp_path, {"Fall": IDS, **shares}))
    square = {label: [f"{row / 9:.3f}" for row in range(3)] for label in ("pos", "neg", "neu")}
    message = question_of(write(tmp_path, {"": ["pos", "neg", "neu"], **square}))
    assert "as in a contingency table of two coders, but not all cells are counts" in message


def test_the_names_of_a_contingency_table_may_begin_with_coders(tmp_path):
    pairs = [*zip(JUDGMENTS["Anna"], JUDGMENTS["Ben"], strict=True)]
    labels = ("pos", "neg", "neu")
    square = {f"Ben_{second}": [pairs.count((first, second)) for first in labels] for second in labels}
    table = ga.read_items(write(tmp_path, {"": [f"Anna_{label}" for label in labels], **square}))
    two = {name: JUDGMENTS[name] for name in ("Anna", "Ben")}
    assert ga.krippendorff_alpha(table).value == pytest.approx(alpha(two))


@pytest.mark.parametrize("mark", ["|", ";", ", ", "/"])
def test_labels_in_one_cell_may_be_sets(tmp_path, mark):
    cells = ["red", "blue", "red" + mark + "blue", "blue" + mark + "green", "green"] * 8
    path = write(tmp_path, {"id": IDS, "Anna": cells, "Ben": cells[1:] + cells[:1]}, "\t", quoting=csv.QUOTE_ALL)
    message = question_of(path)
    assert f"categories may be several labels with {mark.strip()!r} between them" in message
    assert len(ga.read_items(path, sets=mark.strip()).categories) == 5


def test_lists_of_labels_are_sets(tmp_path):
    first = ["['red']", "['red', 'blue']"] * 20
    second = ["['red']", "['blue', 'red']"] * 20
    assert ga.read_items(write(tmp_path, {"id": IDS, "Anna": first, "Ben": second})).categories == (
        "{blue, red}",
        "{red}",
    )


def test_lists_of_tags_of_tokens_are_no_sets(tmp_path):
    first = ["['O', 'PER', 'O']", "['PER', 'O', 'LOC']"] * 20
    second = ["['PER', 'O', 'O']", "['O', 'O', 'LOC']"] * 20
    path = write(tmp_path, {"id": IDS, "Anna": first, "Ben": second})
    assert "lists 'O' more than once" in question_of(path)


def test_a_score_beside_another_judgment_is_asked_about(tmp_path):
    rows = [
        (item, coder, label, 1 + n % 4)
        for coder in CODERS
        for n, (item, label) in enumerate(zip(IDS, JUDGMENTS[coder], strict=True))
    ]
    item, coder, label, score = map(list, zip(*rows, strict=True))
    path = write(tmp_path, {"id": item, "annotator": coder, "sentiment": label, "score": [*score[1:], 4]})
    assert "'score' and 'sentiment' may each have the judgments" in question_of(path)
    table = ga.read_items(path, columns={"category": "sentiment"})
    assert ga.krippendorff_alpha(table).value == pytest.approx(alpha(JUDGMENTS))


def test_blank_cells_may_be_a_category(tmp_path):
    blank = {name: ["" if label == "neu" else label for label in labels] for name, labels in JUDGMENTS.items()}
    path = write(tmp_path, {"id": IDS, **blank})
    assert "cells are blank, mostly those of different coders for the same items" in question_of(path)
    unjudged = {name: [*labels[:25], *[""] * 15] for name, labels in JUDGMENTS.items()}
    assert ga.read_items(write(tmp_path, {"id": IDS, **unjudged})).coders == CODERS


@pytest.mark.parametrize("rows", [["{a}", "{b}", "{c}"], ["120 %", "119 %", "121 %"]])
def test_a_row_without_a_value_of_others_is_asked_about(tmp_path, rows):
    first = {name: [cell, *judged] for cell, (name, judged) in zip(rows, RATINGS.items(), strict=True)}
    last = {name: [*judged, cell] for cell, (name, judged) in zip(rows, RATINGS.items(), strict=True)}
    assert "line 2: the values of this row are in no other one" in question_of(
        write(tmp_path, {"id": ["x", *IDS], **first})
    )
    assert "line 42: the values of this row are in no other one" in question_of(
        write(tmp_path, {"id": [*IDS, "x"], **last})
    )


@pytest.mark.parametrize("spell", [str.upper, lambda name: f"{name[1:]}.0", lambda name: name.replace("t", "T-")])
def test_names_in_two_spellings_are_asked_about(tmp_path, spell):
    columns = long_of("item", "annotator", "label")
    columns["item"] = [
        name if coder == "Anna" else spell(name)
        for name, coder in zip(columns["item"], columns["annotator"], strict=True)
    ]
    if spell("t01") == "01.0":
        columns["item"] = [name.removeprefix("t") for name in columns["item"]]
    path = write(tmp_path, columns)
    assert "items seem to be written in two ways" in question_of(path)
    assert len(ga.read_items(path, layout="long")) == 2 * N_ITEMS


def test_numbers_beside_counts_are_left_out(tmp_path):
    rows = [*zip(*JUDGMENTS.values(), strict=True)]
    counts = {label: [row.count(label) for row in rows] for label in ("pos", "neg", "neu")}
    table = ga.read_items(write(tmp_path, {"": range(N_ITEMS), "count": [3] * 40, **counts, "class": [1] * 40}))
    assert ga.item_coefficient(table, "pi").value == pytest.approx(
        ga.item_coefficient(ga.ItemTable.from_columns(JUDGMENTS), "pi").value
    )


# -------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("name", ["table.txt", "table.tab", "table.tsv"])
def test_tables_of_tabs_have_several_suffixes(tmp_path, name):
    path = write(tmp_path, {"id": IDS, **JUDGMENTS}, "\t")
    assert ga.krippendorff_alpha(ga.read_items(path.rename(tmp_path / name))).value == ALPHA


def test_a_title_stands_above_the_names_of_columns(tmp_path):
    path = write(tmp_path, {"id": IDS, **JUDGMENTS}, ";")
    path.write_text(f"Auswertung 2024;;;\n\n{path.read_text()}")
    assert ga.krippendorff_alpha(ga.read_items(path)).value == ALPHA


def test_rows_with_one_cell_more_than_the_header_are_refused(tmp_path):
    path = write(tmp_path, {"id": IDS, **JUDGMENTS})
    path.write_text(path.read_text().removeprefix("id,"))  # as R writes names of rows
    assert "line 1: the row has 3 cells, and most rows have 4" in question_of(path)


def test_the_first_look_asks_about_items(tmp_path):
    path = write(tmp_path, {"id": IDS, **JUDGMENTS, "Referenz": TRUTH.tolist()})
    with pytest.raises(InputError) as error:
        ga.look(path)
    message = error.value.render(COMMAND_LINE)
    assert "'Referenz' (its name is that of a reference" in message
    assert "gamma-align items reads items: list all columns that are coders with --coders Anna,Ben,Clara" in message
