"""The columns of item and coders are recognised in a table of items, and doubtful columns are refused."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading.tables.item_tables import read_items
from gamma_align.requests.shell import COMMAND_LINE

N_ITEMS = 33
CODERS = ("ann", "ben", "cem")
TEXT = "the old man sat on the bench in front of the house and waited"
RANDOM = np.random.default_rng(5)


def make_judgments():
    truth = RANDOM.choice(["pos", "neg"], N_ITEMS)
    noise = RANDOM.choice(["pos", "neg"], (len(CODERS), N_ITEMS))
    is_noisy = RANDOM.random((len(CODERS), N_ITEMS)) < 0.25
    return dict(zip(CODERS, np.where(is_noisy, noise, truth).tolist(), strict=True))


JUDGMENTS = make_judgments()
ALPHA = ga.krippendorff_alpha(ga.ItemTable.from_columns(JUDGMENTS)).value
NUMBERS = list(range(N_ITEMS))
IDS = [f"s{number}" for number in NUMBERS]
TEXTS = [f"{number} {TEXT[number % 5 :]}" for number in NUMBERS]
REMARKS = ["not sure" if number in (3, 20) else None for number in NUMBERS]
LENGTHS = RANDOM.uniform(10, 60, N_ITEMS).tolist()


def table_of(before, after=None, **options):
    return ga.ItemTable.from_columns({**before, **JUDGMENTS, **(after or {})}, **options)


def csv_file(tmp_path, columns, separator=",", encoding="utf-8", name="ratings.csv"):
    rows = [columns, *zip(*columns.values(), strict=True)]
    lines = [separator.join("" if cell is None else str(cell) for cell in row) for row in rows]
    path = tmp_path / name
    path.write_bytes(("\n".join(lines) + "\n").encode(encoding))
    return path


# ------------------------------------------------------------------------------------- known names


@pytest.mark.parametrize(
    "name",
    [
        *("id", "ID", "item_id", "ItemID", "itemid", "sentence", "sentence_id", "tweet_id", "image", "doc", "document"),
        *("index", "uid", "key", "text_id", "text", "", "Unnamed: 0", "_unit_id", "case", "Nr.", "row number", "#"),
    ],
)
@pytest.mark.parametrize("values", [IDS, NUMBERS, [10**18 + 7919 * number % 101 for number in NUMBERS]])
def test_a_column_with_a_usual_name_of_an_id_is_the_item(tmp_path, name, values):
    table = read_items(csv_file(tmp_path, {name: values, **JUDGMENTS}))
    assert ga.krippendorff_alpha(table).value == ALPHA
    assert (table.coders, table.items) == (CODERS, tuple(map(str, values)))
    assert table.notes == (f"ratings.csv: read {name!r} as item",)


def test_the_first_id_is_the_item_and_other_columns_are_left_out_with_a_note():
    table = table_of({"": NUMBERS, "tweet_id": IDS, "text": TEXTS, "comment": REMARKS})
    assert (table.coders, table.items[:2]) == (CODERS, ("0", "1"))
    assert table.notes[0] == "items: read '' as item"
    assert (
        "columns that are not read as coders: 'tweet_id', 'text', 'comment'; if one of them is a coder"
        in table.notes[1]
    )


def test_the_column_that_the_user_names_is_the_item():
    table = table_of({"": NUMBERS, "utterance_code": IDS}, names={"item": "utterance_code"})
    assert (table.coders, table.items[:2]) == (CODERS, ("s0", "s1"))
    with pytest.raises(InputError, match="no column 'utterance'; there are 'ann', 'ben', 'cem'"):
        table_of({}, names={"item": "utterance"})


def test_ids_that_start_again_in_each_document_name_an_item_with_the_document():
    documents = [f"d{number // 7}" for number in NUMBERS]
    table = table_of({"document": documents, "sentence_id": [number % 7 for number in NUMBERS]})
    assert table.items[6:8] == ("d0, 6", "d1, 0")
    assert table.notes == ("items: read 'document' and 'sentence_id' as item",)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            [*IDS[:-1], "s4"],
            r"row 33: 'id' is 's4' again \(first in row 5\), .* names=\{'item': …\}; .* coders=\['ann', 'ben', 'cem'\]",
        ),
        ([None, *IDS[1:]], "row 1: 'id' is empty, and a wide table has one row per item"),
    ],
)
def test_ids_that_repeat_or_are_missing_are_refused(values, message):
    with pytest.raises(InputError, match=message):
        table_of({"id": values})
    assert table_of({"id": values}, coders=CODERS).names is None


def test_items_are_numbered_if_their_texts_repeat():
    table = table_of({"text": ["Yes.", "Yes.", *TEXTS[2:]]})
    assert (table.coders, table.names) == (CODERS, None)
    assert "'text' repeats values: items are numbered" in table.notes[0]


# ----------------------------------------------------------------------------------- doubtful columns


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("utt", IDS, "its 33 values are all different"),
        ("wortlaut", TEXTS, r"its texts have \d\d characters on average"),
        ("zusatz", REMARKS, "no other column has its values: 'not sure'"),
        ("dan", [None] * N_ITEMS, "it is empty"),
        ("zaehler", NUMBERS, "it numbers the rows"),
        ("alter", [20 + number % 30 for number in NUMBERS], "no other column has its values"),
        ("sorte", ["news" if number % 3 else "blog" for number in NUMBERS], "no other column has its values"),
        ("user", [f"u{number % 9}" for number in NUMBERS], "its name is that of a column of annotators"),
        ("gold", JUDGMENTS["ann"], "its name is that of a reference"),
        ("consensus_median", JUDGMENTS["ann"], "its name is that of a reference"),
        ("Majority vote", JUDGMENTS["ann"], "its name is that of a reference"),
    ],
)
def test_a_column_that_is_hardly_a_coder_is_refused_with_a_cure(tmp_path, name, values, reason):
    path = csv_file(tmp_path, {name: values, **JUDGMENTS})
    with pytest.raises(InputError, match=f"ratings.csv: .*'{name}' .{reason}") as error:
        read_items(path)
    assert error.value.render(COMMAND_LINE).endswith("list all columns that are coders with --coders ann,ben,cem")
    with pytest.raises(InputError, match=rf"'{name}' .{reason}.* coders=\['ann', 'ben', 'cem'\]"):
        table_of({name: values})
    table = read_items(path, coders=CODERS)
    assert (table.coders, ga.krippendorff_alpha(table).value) == (CODERS, ALPHA)
    assert table.notes == (f"ratings.csv: columns that are not read as coders: {name!r}",)


def test_a_doubtful_column_is_a_coder_if_the_user_lists_it():
    table = table_of({"utt": IDS}, coders=["utt", "ann"])
    assert table.coders == ("utt", "ann")
    assert table.notes == ("items: columns that are not read as coders: 'ben', 'cem'",)


def test_the_cure_names_the_item():
    with pytest.raises(InputError, match=r"if 'utt' names the items, set names=\{'item': 'utt'\}; list all columns"):
        table_of({"utt": IDS})


def test_an_id_among_ratings_is_recognised_by_its_range():
    ratings = {name: [1 + (number * step) % 5 for number in NUMBERS] for name, step in (("ann", 2), ("ben", 3))}
    with pytest.raises(InputError, match=r"'zaehler' .its 33 values are all different"):
        ga.ItemTable.from_columns({"zaehler": [7 * number % N_ITEMS + 1 for number in NUMBERS], **ratings})


def test_times_among_ratings_are_refused():
    ratings = {name: [1 + (number * step) % 5 for number in NUMBERS] for name, step in (("ann", 2), ("ben", 3))}
    with pytest.raises(InputError, match=r"'reading' .its 33 values are all different"):
        ga.ItemTable.from_columns({**ratings, "reading": [0.25 + number / 10 for number in NUMBERS]})


@pytest.mark.parametrize(
    "columns",
    [
        {"ann": [round(value, 2) for value in LENGTHS], "ben": [round(value + 0.31, 2) for value in LENGTHS]},
        {"ann": [round(value, 2) for value in LENGTHS], "ben": [5 * round(value / 5) for value in LENGTHS]},
        {"ann": [round(1000 * value) for value in LENGTHS], "ben": [10_000 * round(value / 10) for value in LENGTHS]},
        {"ann": sorted(LENGTHS), "ben": [value + 0.1 for value in sorted(LENGTHS)]},
        {"ann": NUMBERS, "ben": NUMBERS},
        {"ann": TEXTS, "ben": [text.upper() for text in TEXTS]},
        {"ann": ["x", "y", "z"], "ben": ["x", "y", "y"]},
        {"ann": ["x", "x"], "ben": ["y", "y"], "cem": ["z", "z"]},
        {"system": JUDGMENTS["ann"], "gold": JUDGMENTS["ben"]},
    ],
    ids=["lengths", "rounded", "milliseconds", "sorted", "equal", "translations", "few", "two items", "reference"],
)
def test_judgments_may_be_all_different(columns):
    table = ga.ItemTable.from_columns(columns)
    assert (table.coders, table.notes) == (tuple(columns), ())


def test_sets_share_their_members():
    columns = {"ann": ["a+b", "b", "c"], "ben": ["b", "b", "c"], "cem": ["a+c", "a", "a"]}
    assert ga.ItemTable.from_columns(columns, sets="+").coders == ("ann", "ben", "cem")
    members = {name: [frozenset(cell.split("+")) for cell in cells] for name, cells in columns.items()}
    assert ga.ItemTable.from_columns(members).coders == ("ann", "ben", "cem")


# ----------------------------------------------------------------------------- files of spreadsheets


@pytest.mark.parametrize(("separator", "encoding"), [(";", "utf-8-sig"), (",", "utf-16"), ("\t", "utf-8")])
def test_columns_without_name_and_values_are_not_coders(tmp_path, separator, encoding):
    empty = [None] * N_ITEMS
    path = csv_file(tmp_path, {"id": IDS, **JUDGMENTS, "": empty, " ": empty}, separator, encoding)
    table = read_items(path)
    assert (table.coders, ga.krippendorff_alpha(table).value) == (CODERS, ALPHA)


def test_a_csv_file_with_the_index_of_pandas_is_read(tmp_path):
    path = tmp_path / "ratings.csv"
    pd.DataFrame(JUDGMENTS).to_csv(path)
    assert ga.krippendorff_alpha(read_items(path)).value == ALPHA
    pd.read_csv(path).to_csv(path)  # a second index: ",Unnamed: 0,ann,…"
    table = read_items(path)
    assert (table.coders, ga.krippendorff_alpha(table).value) == (CODERS, ALPHA)
    assert "'Unnamed: 0'" in table.notes[1]


# ---------------------------------------------------------------------------------------- data frames


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_data_frames_have_the_same_roles(library):
    table = ga.ItemTable.from_frame(library({"tweet_id": IDS, "text": TEXTS, **JUDGMENTS}))
    assert (table.coders, ga.krippendorff_alpha(table).value) == (CODERS, ALPHA)
    with pytest.raises(InputError, match=r"'utt' .its 33 values are all different"):
        ga.ItemTable.from_frame(library({"utt": IDS, **JUDGMENTS}))
    assert ga.ItemTable.from_frame(library({"utt": IDS, **JUDGMENTS}), coders=CODERS).coders == CODERS


def test_the_index_of_a_frame_names_the_items():
    frame = pd.DataFrame(JUDGMENTS)
    named = ga.ItemTable.from_frame(frame.set_index(pd.Index(IDS, name="utt")))
    assert (named.coders, named.items[:2], named.notes) == (CODERS, ("s0", "s1"), ("items: read 'utt' as item",))
    unnamed = ga.ItemTable.from_frame(frame.set_index(pd.Index(IDS)))
    assert (unnamed.coders, unnamed.items[:2], unnamed.notes) == (CODERS, ("s0", "s1"), ())
    levels = pd.MultiIndex.from_tuples([(number // 7, number % 7) for number in NUMBERS], names=["doc", "s"])
    assert ga.ItemTable.from_frame(frame.set_index(levels)).items[7:9] == ("1, 0", "1, 1")


def test_names_of_columns_of_a_frame_may_be_numbers():
    frame = pd.DataFrame([*zip(*JUDGMENTS.values(), strict=True)])
    table = ga.ItemTable.from_frame(frame)
    assert (table.coders, ga.krippendorff_alpha(table).value) == (("0", "1", "2"), ALPHA)
    with pytest.raises(InputError, match="two columns have the same name as text, such as 1 and '1'"):
        ga.ItemTable.from_columns({1: ["x"], "1": ["y"]})


def test_a_crosstab_of_two_coders_is_a_contingency_table():
    frame = pd.DataFrame(JUDGMENTS)
    table = ga.ItemTable.from_frame(pd.crosstab(frame["ann"], frame["ben"]), layout="contingency")
    assert (
        ga.krippendorff_alpha(table).value
        == ga.krippendorff_alpha(ga.ItemTable.from_frame(frame[["ann", "ben"]])).value
    )


def test_texts_that_are_lists_of_tokens_are_left_out():
    table = table_of({"text": [text.split() for text in TEXTS], "id": IDS})
    assert (table.coders, table.items[:2]) == (CODERS, ("s0", "s1"))


def test_an_index_that_numbers_rows_is_not_used():
    frame = pd.DataFrame(JUDGMENTS)
    assert ga.ItemTable.from_frame(frame).names is None
    assert ga.ItemTable.from_frame(pd.concat([frame, frame])).names is None
    assert ga.ItemTable.from_frame(frame.assign(item=IDS).iloc[::2]).items[:2] == ("s0", "s2")


def test_a_frame_with_a_row_per_judgment_may_have_an_index():
    judgments = pd.DataFrame({"utt": IDS, **JUDGMENTS}).melt("utt", var_name="coder", value_name="category")
    table = ga.ItemTable.from_frame(judgments.set_index(["utt", "coder"]), names={"item": "utt"})
    assert (table.coders, ga.krippendorff_alpha(table).value) == (CODERS, pytest.approx(ALPHA))


# --------------------------------------------------------------------------------------- long tables


def make_long(item="item", annotator="annotator", category="category", further_columns=None):
    rows = [(item_id, name) for item_id in IDS for name in CODERS]
    columns = {item: [item_id for item_id, _ in rows], annotator: [name for _, name in rows]}
    columns[category] = [JUDGMENTS[name][IDS.index(item_id)] for item_id, name in rows]
    return {**{name: make(len(rows)) for name, make in (further_columns or {}).items()}, **columns}


@pytest.mark.parametrize(
    ("columns", "note"),
    [
        (make_long(), ()),
        (make_long("tweet_id"), ("items: read 'tweet_id' as item",)),
        (make_long("sentence", "coder", "label"), ("items: read 'sentence' as item, 'label' as category",)),
        (
            make_long("HITId", "WorkerId", "label", {"id": range, "HITTypeId": lambda size: ["t"] * size}),
            ("items: read 'HITId' as item, 'WorkerId' as annotator, 'label' as category",),
        ),
    ],
)
def test_long_tables_are_recognised_by_usual_names(columns, note):
    table = ga.ItemTable.from_columns(columns)
    assert (table.coders, table.notes) == (CODERS, note)
    assert ga.krippendorff_alpha(table).value == pytest.approx(ALPHA)


def test_the_cure_of_a_crowdsourced_table_names_the_category():
    columns = make_long("HITId", "WorkerId", "Answer.sentiment", {"AssignmentId": range})
    with pytest.raises(InputError, match=r"'HITId' and 'WorkerId' together .*'category': 'Answer.sentiment'"):
        ga.ItemTable.from_columns(columns)
    columns["remark_2"] = [None] * len(IDS) * len(CODERS)
    with pytest.raises(InputError, match=r"'WorkerId' .*'category': 'Answer.sentiment'"):
        ga.ItemTable.from_columns(columns)
    table = ga.ItemTable.from_columns(columns, names={"category": "Answer.sentiment"})
    assert ga.krippendorff_alpha(table).value == pytest.approx(ALPHA)


def test_a_table_of_tweets_with_their_users_and_labels_is_not_long():
    with pytest.raises(InputError, match=r"'user' .*'label' .its name is that of a reference"):
        table_of({"tweet_id": IDS, "user": [f"u{number % 9}" for number in NUMBERS], "label": JUDGMENTS["ann"]})


# ------------------------------------------------------------------------------------ tables of counts


def test_ids_in_a_table_of_counts_are_not_counts():
    counts = {"pos": [3, 2, 0, 1, 3, 0, 1], "neg": [0, 1, 3, 2, 0, 3, 2]}
    expected = ga.krippendorff_alpha(ga.ItemTable.from_columns(counts, layout="counts")).value
    table = ga.ItemTable.from_columns({"id": [*range(7)], **counts}, layout="counts")
    assert (ga.krippendorff_alpha(table).value, table.notes) == (expected, ("items: read 'id' as item",))
    with pytest.raises(InputError, match="'zaehler' seems to number the items, because its values are 1, 2, 3"):
        ga.ItemTable.from_columns({"zaehler": [*range(1, 8)], **counts}, layout="counts")


# ------------------------------------------------------------------------------------- wrong requests


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"coders": ["ann", "dan"]}, InputError, "no column 'dan'; there are 'ann', 'ben', 'cem'"),
        ({"coders": "ann"}, SettingsError, "the coders are 'ann', not a list of names of columns"),
        ({"coders": ["ann", "ann"]}, SettingsError, "the list of coders has 'ann' twice"),
        (
            {"coders": ["ann"], "layout": "long"},
            SettingsError,
            "with layout 'long' no column is a coder",
        ),
        ({"coders": ["ann"], "names": {"item": "ann"}}, SettingsError, "'ann' cannot be both the item and a coder"),
    ],
)
def test_invalid_coders_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        table_of({}, **options)


@pytest.mark.parametrize(
    "names",
    [
        ("document_id", "annotator_id", "annotation"),
        ("tweet_id", "worker_id", "answer"),
        ("sentence", "rater", "rating"),
        ("image", "user", "score"),
    ],
)
def test_a_table_with_a_row_per_judgment_is_recognised_by_usual_names(names):
    columns = {name: [] for name in names}
    for coder, judgments in JUDGMENTS.items():
        for item, judgment in zip(IDS, judgments, strict=True):
            for name, cell in zip(names, (item, coder, judgment), strict=True):
                columns[name].append(cell)
    table = ga.ItemTable.from_columns(columns)
    assert ga.krippendorff_alpha(table).value == ALPHA
    assert table.notes == (f"items: read {names[0]!r} as item, {names[1]!r} as annotator, {names[2]!r} as category",)


def test_the_cure_of_a_repeated_id_names_the_category_if_there_is_a_column_of_annotators():
    with pytest.raises(InputError, match=r"if a row is one judgment, set names=\{'category': 'mood'\}"):
        ga.ItemTable.from_columns({"id": ["1", "1"], "worker_id": ["a", "b"], "mood": ["x", "y"]})


def test_columns_that_share_no_value_are_no_coders():
    columns = {"V1": ["d1", "d2"] * 10, "V2": ["ann", "ann", "ben", "ben"] * 5, "V3": ["PER", "LOC", "ORG", "PER"] * 5}
    with pytest.raises(ga.InputError, match="shares no value"):
        ga.ItemTable.from_columns(columns)
    assert ga.ItemTable.from_columns(columns, layout="wide").coders == ("V1", "V2", "V3")


@pytest.mark.parametrize(
    ("names", "coders"),
    [
        (["paperID", "arm", "Coder1Text", "Coder2Text"], ["Coder1Text", "Coder2Text"]),
        (["graph", "truth", "ExpertA", "ExpertB", "ExpertC", "machine"], ["ExpertA", "ExpertB", "ExpertC"]),
        (["no", "rater_1", "rater_2", "group"], ["rater_1", "rater_2"]),
    ],
)
def test_the_cure_lists_columns_that_are_named_as_coders(names, coders):
    """Two real tables had a cure that listed titles and arms of studies as coders."""
    rows = [[index // 2, *(f"{name}{index % 2}" for name in names[1:])] for index in range(8)]
    for row in rows:
        for place, name in enumerate(names):
            if name in coders:
                row[place] = "x" if row[0] % 2 else "y"
    with pytest.raises(InputError) as caught:
        ga.ItemTable.from_columns({name: [row[place] for row in rows] for place, name in enumerate(names)})
    assert repr(coders) in str(caught.value)


@pytest.mark.parametrize(
    "records",
    [
        [{"id": f"i{n}", "ann": "xy"[n % 2], "bob": "xy"[n % 3 % 2]} for n in range(8)],
        [
            {"item": f"i{n}", "annotator": who, "label": "xy"[n % step % 2]}
            for n in range(8)
            for who, step in (("ann", 2), ("bob", 3))
        ],
        [{"id": f"i{n}", "labels": {"ann": "xy"[n % 2], "bob": "xy"[n % 3 % 2]}} for n in range(8)],
    ],
)
def test_records_of_json_are_rows_of_a_table(tmp_path, records):
    expected = ga.item_coefficient([["xy"[n % 2], "xy"[n % 3 % 2]] for n in range(8)], "kappa").value
    (tmp_path / "d.json").write_text(json.dumps(records), encoding="utf-8")
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    for name in ("d.json", "d.jsonl"):
        assert ga.item_coefficient(read_items(tmp_path / name), "kappa").value == pytest.approx(expected)


def test_a_table_of_judgments_is_told_by_its_keys_beside_what_is_about_items():
    """As in a study of physicians: what each question is about is told by the question, and no judgment."""
    rows = [
        (physician, question, "go" if (physician * question) % 3 else "stay", "hard" if question % 2 else "easy")
        for physician in range(12)
        for question in range(12)
    ]
    columns = dict(zip(("physician_id", "question", "decision", "kind"), zip(*rows, strict=True), strict=True))
    with pytest.raises(InputError) as caught:
        ga.ItemTable.from_columns({name: [str(cell) for cell in cells] for name, cells in columns.items()})
    assert "'item': 'question', 'annotator': 'physician_id', 'category': 'decision'" in str(caught.value)


def test_columns_of_votes_may_be_counts():
    """As in the table of a competition: votes of several experts, how many differs, beside an id and a consensus."""
    votes = {
        "seizure_vote": [3, 0, 2, 1, 0, 5, 0, 3, 1],
        "lpd_vote": [0, 3, 1, 2, 0, 0, 3, 0, 1],
        "other_vote": [0] * 9,
    }
    others = {"eeg_id": [f"e{row}" for row in range(9)], "expert_consensus": ["s", "l", "s"] * 3}
    with pytest.raises(InputError) as caught:
        ga.ItemTable.from_columns({**others, **votes})
    assert '"form": "counts", "columns": ["seizure_vote", "lpd_vote", "other_vote"]' in str(caught.value)
