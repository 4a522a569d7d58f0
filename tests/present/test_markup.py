"""Tables as Markdown and LaTeX: other programs read back what stands in them, whatever the names."""

import re
import shutil
import subprocess

import pytest
from command_line import run
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from places import CORPORA
from pylatexenc.latex2text import LatexNodes2Text
from table_data import records

import gamma_align as ga
from gamma_align.data.wording import printable
from gamma_align.present import gamma_tables
from gamma_align.present.evaluation_tables import SEGMENTATION_SYMBOLS
from gamma_align.present.items_tables import coefficients_table
from gamma_align.present.table import table_of_cells
from gamma_align.present.writers.paper import latex, latex_text, markdown

HOSTILE = "[*d_1 & 100%$#~^\\{}|<b>\"`'¿ ?`!` -- '' ,, γ Δ − 日本 é \x00\x1b[31m\n| a | \ud800 &amp; ![x](y) $x$"
HEAD = ["name", "n", "γcat"]
TABLE = table_of_cells(
    "values",
    HEAD,
    [
        [HOSTILE, 12, ga.Value(0.5, -0.25, 1.0)],
        ["", None, ga.Value.unavailable("no | units")],
        ["b", 3, ga.Value(-0.1, no_interval="one pair")],
        ["c", 4, ga.Value.unavailable("no | units")],
        ["d", 5, ga.Value(0.7)],
        ["e", 6, -0.0004],
        ["f", 7, float("nan")],
    ],
)._replace(remainder=lambda _: "… and 3 more")
CELLS = ["0.500 [−0.250, 1.000]", "NA (1)", "−0.100 (2)", "NA (1)", "0.700", "0.000", "NA"]
COMMANDS = [
    ["measure", CORPORA / "pygamma" / "AlexPaulSuzan.csv", "--samples", 8, "--coefficients", "gamma,unitizing-alpha"],
    ["families", CORPORA / "pygamma" / "AlexPaulSuzan.csv", "--samples", 8],
    ["disagreements", CORPORA / "pygamma" / "AlexPaulSuzan.csv", "--samples", 8, "--leave-one-out"],
    ["evaluate", CORPORA / "novels_ner", "--reference", "user3", "--samples", 2],
    ["evaluate", CORPORA / "novels_ner"],
    ["items", CORPORA / "items" / "dreem_dodh_epochs.parquet", "--interval", "none"],
]


def rows_of(text):
    """Return the titles and cells of the tables and the paragraphs, as GitHub renders the Markdown."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    tables, paragraphs = [], []
    for index, token in enumerate(tokens):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type == "inline":
            assert not {child.type for child in token.children} & {"html_inline", "link_open", "image"}
            content = "".join(child.content for child in token.children)
            (paragraphs if tokens[index - 1].type == "paragraph_open" else tables[-1][-1]).append(content)
    return tables, paragraphs


def test_markdown_parsers_read_the_original_cells():
    (rows,), paragraphs = rows_of(markdown([TABLE], ["γ|docs:1"]))
    assert rows[0] == ["name", "n", "γcat"]
    assert [row[0] for row in rows[1:]] == [printable(HOSTILE), "", "b", "c", "d", "e", "f"]
    assert [row[1] for row in rows[1:]] == ["12", "", "3", "4", "5", "6", "7"]
    assert [row[2] for row in rows[1:]] == CELLS
    notes = ["(1) not available: no | units", "(2) no interval: one pair", "… and 3 more"]
    assert paragraphs == ["values", *notes, "γ|docs:1"]


ALIKE = str.maketrans({"ˆ": "^", "˜": "~", "−": "-", "–": "-", "’": "'", "‘": "`", "″": "′"})
"""Characters that the parser replaces."""


def plain(source):
    return LatexNodes2Text(keep_comments=False).latex_to_text(source)


def test_latex_parsers_read_the_original_cells():
    text = latex([TABLE], ["γ|docs:1"])
    head, _, body = text.partition(r"\toprule")
    assert "% \\usepackage{booktabs}\n% γ|docs:1\n" in head
    assert r"\begin{tabular}{lrr}" in head
    lines = [line.removesuffix(r" \\").split(" & ") for line in body.splitlines() if line.endswith(r" \\")]
    assert lines[0] == ["name", "n", r"$\gamma_{\mathrm{cat}}$"]
    cells = [cell.replace("−", "$-$").replace(" (1)", r"\textsuperscript{1}") for cell in CELLS]
    assert [line[2] for line in lines[1:]] == [cell.replace(" (2)", r"\textsuperscript{2}") for cell in cells]
    assert r"\textsuperscript{1} not available: no $|$ units" in text
    assert text.count(r"\begin") == text.count(r"\end")


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Zs", "Zl", "Zp")), max_size=20))
@example("--'',,?`!`")
@example("\\&%$#_{}~^")
@example('[]*<>|"γΔ−…')
def test_latex_text_prints_the_original_text(text):
    printed = printable(text)
    if printed in ("γcat", "uα", "P_k"):
        return
    escaped = latex_text(text)
    # pylatexenc makes no ligatures; what would be one is apart
    assert not re.search(r"--|''|,,|[`?!]`", latex_text(text.replace("–", "")).replace("{}", "|"))
    assert not escaped.startswith(("[", "*"))
    assert plain(escaped).translate(ALIKE) == printed.translate(ALIKE)


def test_dashes_in_latex_text_stay_apart():
    assert latex_text("1–2, 3-4, 5--6, 7-–8") == "1--2, 3-4, 5-{}-6, 7-{}--8"


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4))
@example(["a|b", "`|`", "\\|", "<script>", "http://x.y", "* [ ] a"])
def test_cells_with_any_characters_form_one_row_of_markdown(cells):
    (rows,), _ = rows_of(markdown([table_of_cells("t", [*map(str, range(len(cells)))], [cells])]))
    assert rows[1] == [" ".join(printable(cell).split(" ")).strip(" ") for cell in cells]


def test_symbols_are_set_as_mathematics():
    for symbol in (
        "γ",
        "γcat",
        "γk",
        "uα",
        "|uα",
        "cuα",
        "(k)uα",
        "π",
        "α′",
        "κ_w",
        "2A_o-1",
        "D_e",
    ):
        assert re.fullmatch(r"(\$[^$]+\$)+", latex_text(symbol)), symbol
    assert latex_text(SEGMENTATION_SYMBOLS["p_k"]) == "$P_k$"


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda command: command[0])
def test_tables_of_all_commands_can_be_parsed(arguments):
    done = run(*arguments, "--quiet", "--markdown")
    assert done.returncode == 0
    tables, paragraphs = rows_of(done.stdout)
    assert tables
    assert all(len({len(row) for row in table}) == 1 for table in tables)
    assert "v:0.1.0" in paragraphs[-1]
    text = run(*arguments, "--quiet", "--latex").stdout
    assert text.count(r"\begin{tabular}") == len(tables)
    bodies = re.findall(r"\\midrule\n(.*?)\\bottomrule", text, re.DOTALL)
    assert [body.count("\\\\\n") for body in bodies] == [len(table) - 1 for table in tables]


def test_tables_have_the_values_of_the_result():
    result = ga.gamma(CORPORA / "novels_ner", samples=8)
    documents = [*records(gamma_tables.documents_table(result))]
    assert documents == [
        {name: content for name, content in row.items() if name not in ("gamma_k", "distance_lowered")}
        for row in result.to_dict()["documents"]
    ]
    assert [row.value for row in gamma_tables.corpus_table(result).rows] == [
        result.gamma,
        result.gamma_cat,
        *result.gamma_k.values(),
    ]
    items = ga.item_agreement(ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"]]), level=0.9)
    table = coefficients_table(items)
    assert table.title == "Agreement on 3 items, 2 coders, 90 % interval"
    assert [row.symbol for row in table.rows] == [value.symbol for value in items.coefficients.values()]


def test_worst_and_sort_select_the_documents_of_the_tables():
    options = ("--samples", 8, "--quiet", "--markdown", "--worst", 2)
    tables, paragraphs = rows_of(run("measure", CORPORA / "novels_ner", *options).stdout)
    assert [row[0] for row in tables[1]] == ["document", "VanityFair", "Frankenstein"]
    assert "… the 2 documents with the largest share of the disorder; 10 left out (CSV and JSON have all)" in paragraphs
    tables, paragraphs = rows_of(run("measure", CORPORA / "novels_ner", *options, "--sort", "value").stdout)
    assert [row[0] for row in tables[1]] == ["document", "VanityFair", "OliverTwist"]
    assert "… the 2 documents of the lowest γ; 10 left out (CSV and JSON have all)" in paragraphs


@pytest.mark.release
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not there")
def test_latex_compiles(tmp_path):
    ascii_only = HOSTILE.replace("日本", "").replace("¿", "")
    tables = latex([TABLE, table_of_cells("t", HEAD, [[ascii_only, 1, 2], *TABLE.rows[1:]])][1:])
    preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs}\begin{document}"
    (tmp_path / "t.tex").write_text(f"{preamble}\n{tables}\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
