"""Plots show the values of the results, without relying on colour, in reproducible files."""

import math
import subprocess
import sys

import numpy as np
import pytest
from command_line import run
from matplotlib import colors
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import GammaAlignWarning, SettingsError
from gamma_align.present.plots.agreement import (
    _CURVE_COLOURS,
    _CURVE_MARKERS,
    _DISORDER_COLOURS,
    _LINE_STYLES,
    save_documents,
)
from gamma_align.present.plots.axes import COLUMN_WIDTH, save

NOVELS = CORPORA / "novels_ner"
HOSTILE = ["$x_{", "a\nb\x00\u202e", "<&>" + "long " * 30, "\\frac", "_^%#"]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def novels():
    return ga.gamma(NOVELS, samples=9)


def texts(labels):
    return [label.get_text() for label in labels]


def test_documents_are_points_with_intervals_the_lowest_first(novels):
    ax = ga.plot_documents(novels)
    ordered = sorted(novels.documents, key=lambda document: document.gamma.value)
    corpus, points = ax.lines
    assert [*points.get_xdata()] == [document.gamma.value for document in ordered]
    assert [*points.get_ydata()] == [*range(12)]
    assert texts(ax.get_yticklabels()) == [document.document for document in ordered]
    assert ax.yaxis_inverted()
    (intervals,) = ax.collections
    assert [tuple(part[:, 0]) for part in intervals.get_segments()] == [
        (document.gamma.low, document.gamma.high) for document in ordered
    ]
    assert set(corpus.get_xdata()) == {novels.gamma.value}
    (band,) = ax.patches
    assert (band.get_x(), band.get_x() + band.get_width()) == pytest.approx((novels.gamma.low, novels.gamma.high))
    assert texts(ax.texts) == [f"corpus {novels.gamma.value:.2f}"]


def test_u_alpha_has_no_intervals_of_documents():
    result = ga.unitizing_alpha(NOVELS)
    ax = ga.plot_documents(result)
    assert [*ax.lines[1].get_xdata()] == sorted(document.u.value for document in result.documents)
    assert [len(part.get_segments()) for part in ax.collections] == [0]


def test_documents_without_a_value_are_counted():
    units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y")]
    corpus = ga.Corpus.from_records(units)
    ax = ga.plot_documents(ga.gamma(corpus, samples=9))
    assert ax.get_xlabel().endswith("\n1 of 2 documents without a value")
    alone = ga.gamma([("d", "ann", 0, 4, "x"), ("d", "bob", 0, 4, "x")], samples=3)
    assert "without a value" not in ga.plot_documents(alone).get_xlabel()


def test_many_documents_have_no_names():
    units = [(f"d{n}", name, 0, 4 + n % 5 * i, "x") for n in range(80) for i, name in enumerate(("ann", "bob"))]
    ax = ga.plot_documents(ga.gamma(units, samples=2))
    assert (texts(ax.get_yticklabels()), ax.get_ylabel()) == ([], "80 documents, the lowest first")
    assert ax.figure.get_size_inches()[1] <= COLUMN_WIDTH
    low, high = ax.get_ylim()
    assert low > 79.5  # no point is cut
    assert high < -0.5


def test_given_axes_are_used_and_new_axes_are_as_wide_as_a_column(novels):
    figure = Figure()
    ax = figure.subplots()
    assert ga.plot_documents(novels, ax) is ax
    assert figure.get_size_inches()[0] != COLUMN_WIDTH
    assert ga.plot_documents(novels).figure.get_size_inches()[0] == COLUMN_WIDTH
    plain = plt.rcParams["font.size"]
    assert plain != 8.0  # the style ends with the plot


def test_pairs_are_cells_with_their_numbers():
    result = ga.pairwise(CORPORA / "pygamma" / "AlexPaulSuzan.csv", samples=9)
    for measure in ("gamma", "gamma_cat"):
        ax = ga.plot_pairs(result, measure=measure)
        matrix = result.matrix(measure)
        drawn = {tuple(text.get_position()): text.get_text() for text in ax.texts}
        assert drawn == {(0, 0): f"{matrix[0, 1]:.2f}", (0, 1): f"{matrix[0, 2]:.2f}", (1, 1): f"{matrix[1, 2]:.2f}"}
        assert texts(ax.get_xticklabels()) == ["Alex", "Paul"]
        assert texts(ax.get_yticklabels()) == ["Paul", "Suzan"]
    lowest = min(ax.patches, key=lambda patch: luminance(patch.get_facecolor()))
    place = (lowest.get_x() + 0.5, lowest.get_y() + 0.5)
    assert drawn[place] == f"{np.nanmin(matrix):.2f}"


def luminance(colour):
    linear = np.array(colors.to_rgb(colour)) ** 2.2
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_a_pair_without_a_value_is_hatched():
    units = [("d", "ann", 0, 4, "x"), ("d", "bob", 90, 94, "x"), ("d", "cy", 0, 4, "x")]
    units += [("d", "ann", 40, 44, "y"), ("d", "cy", 40, 44, "y")]
    ax = ga.plot_pairs(ga.pairwise(units, samples=9), measure="gamma_cat")
    assert [patch.get_hatch() for patch in ax.patches] == ["////", None, "////"]
    assert texts(ax.texts) == ["1.00"]


def test_many_annotators_have_a_scale_and_no_numbers():
    units = [("d", f"a{n:02}", 0, 4 + n, "x") for n in range(16)]
    ax = ga.plot_pairs(ga.pairwise(units, samples=2))
    assert (len(ax.patches), texts(ax.texts)) == (120, [])
    assert len(ax.figure.axes) == 2


def test_other_measures_are_refused():
    result = ga.pairwise([("d", "ann", 0, 4, "x"), ("d", "bob", 0, 4, "x")], samples=2)
    with pytest.raises(SettingsError, match="measure must be one of gamma, gamma_cat, not 'u'"):
        ga.plot_pairs(result, measure="u")


@pytest.fixture(scope="module")
def curve():
    corpus = ga.shuffle(ga.synthetic_reference(units=8), magnitude=0.3)
    return ga.curve(
        corpus, kinds=["shift", "split", ["shift", "category"]], magnitudes=[0, 0.5, 1], repetitions=2, samples=3
    )


def test_curves_are_means_with_bands(curve):
    ax = ga.plot_curve(curve)
    across, *lines = ax.lines
    assert set(across.get_ydata()) == {curve.gamma.value}
    for line, drawn in zip(lines, curve.curves, strict=True):
        assert [*line.get_xdata()] == [band.magnitude for band in drawn.bands]
        assert [*line.get_ydata()] == [band.mean for band in drawn.bands]
    assert texts(ax.get_legend().get_texts()) == ["shift", "split", "shift + category"]
    assert len({line.get_linestyle() for line in lines}) == len({line.get_marker() for line in lines}) == 3


def test_colour_never_stands_alone():
    assert len(set(_LINE_STYLES)) == len(set(_CURVE_MARKERS)) == len(set(_CURVE_COLOURS)) == 6
    steps = [luminance(colour) for colour in _DISORDER_COLOURS]
    assert steps == sorted(steps, reverse=True)  # in grey too, darker is more


@pytest.mark.parametrize("suffix", [".pdf", ".svg", ".png"])
def test_hostile_names_are_drawn_unchanged(tmp_path, suffix):
    units = [(name, annotator, 0, 4 + n, "x") for n, name in enumerate(HOSTILE) for annotator in ("$a_{", "b" * 50)]
    result = ga.gamma(units, samples=2)
    save_documents(result, tmp_path / f"documents{suffix}")
    save(ga.plot_pairs(ga.pairwise(units, samples=2)).figure, tmp_path / f"pairs{suffix}")
    names = texts(ga.plot_documents(result).get_yticklabels())
    assert set(names) == {"$x_{", "a\\nb\\x00\\u202e", "<&>long long l…ng long long ", "\\frac", "_^%#"}


def test_characters_that_the_font_lacks_cause_a_warning(tmp_path):
    result = ga.gamma([("日本", "ann", 0, 4, "x"), ("日本", "bob", 0, 4, "x")], samples=2)
    with pytest.warns(GammaAlignWarning, match="the font lacks characters of some names"):
        save_documents(result, tmp_path / "plot.pdf")
    assert (tmp_path / "plot.pdf").exists()


@pytest.mark.surfaces
@pytest.mark.parametrize("suffix", [".pdf", ".svg"])
def test_equal_results_give_equal_bytes(tmp_path, suffix):
    program = (
        "import sys, gamma_align as ga; from pathlib import Path; "
        "from gamma_align.present.plots.agreement import save_documents; "
        f"save_documents(ga.gamma({str(NOVELS)!r}, samples=2), Path(sys.argv[1]))"
    )
    files = [tmp_path / f"{seed}{suffix}" for seed in (1, 2)]
    for seed, file in enumerate(files):
        env = {"PYTHONHASHSEED": str(seed), "MPLCONFIGDIR": str(tmp_path), "SOURCE_DATE_EPOCH": str(seed)}
        subprocess.run([sys.executable, "-P", "-c", program, file], check=True, env=env)
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert b"Date" not in first


def test_measure_writes_a_plot(tmp_path):
    for name in ("plot.pdf", "plot.svg", "PLOT.PNG"):
        done = run("measure", NOVELS, "--samples", 2, "--quiet", "--plot", tmp_path / name)
        assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "plot.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "PLOT.PNG").read_bytes().startswith(b"\x89PNG")
    family = ("--coefficients", "unitizing-alpha")
    assert run("measure", NOVELS, *family, "--plot", tmp_path / "u.svg").returncode == 0
    assert (tmp_path / "u.svg").read_text(encoding="utf-8") != (tmp_path / "plot.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "message"), [("plot.gif", "a plot is written as .pdf, .svg, .png, not '.gif'"), ("plot", "not 'plot'")]
)
def test_unknown_formats_are_refused_before_reading(tmp_path, name, message):
    done = run("measure", "nowhere.csv", "--plot", tmp_path / name)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_error_without_matplotlib_names_the_command_that_installs_it(monkeypatch, novels):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run("measure", "nowhere.csv", "--plot", "plot.pdf")
    assert done.returncode == 2
    assert "a plot needs matplotlib: run  pip install 'gamma-align[plot]'" in done.stderr
    with pytest.raises(ga.MissingExtraError):
        ga.plot_documents(novels)


def test_plot_without_values_is_refused(tmp_path):
    path = tmp_path / "u.csv"
    path.write_text("document,annotator,start,end\nd,ann,0,4\ne,bob,0,4\ne,cy,0,4\n", encoding="utf-8")
    options = ("--coefficients", "unitizing-alpha", "--quiet", "--plot", tmp_path / "plot.pdf")
    done = run("measure", path, *options)
    assert done.returncode == 4
    assert "warning: argument --plot: no document has a value, so there is nothing to plot" in done.stderr
    assert "uα" in done.stdout
    assert not (tmp_path / "plot.pdf").exists()
    assert math.isnan(ga.unitizing_alpha(path).u.value)
