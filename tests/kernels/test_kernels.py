"""The kernels, compiled and plain: each against its definition, both kinds against each other to the last bit."""

import itertools
import os
import subprocess
import sys

import numpy as np
import oracles
import pytest
from both_kernels import COMPILED_HERE, KINDS, by_both, by_each_kind, needs_compiled
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from gamma_align import kernels
from gamma_align.data.batch import Batch
from gamma_align.errors import GammaAlignWarning, SettingsError

# --- which kernels are used ---


def run_python(code, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)


@pytest.mark.surfaces
@pytest.mark.parametrize("name", KINDS)
def test_the_variable_chooses_the_kernels(name):
    run = run_python("from gamma_align import kernels; print(kernels.kind())", **{kernels.VARIABLE: name})
    assert (run.stdout, run.stderr) == (f"{name}\n", "")


@pytest.mark.surfaces
def test_without_the_variable_the_compiled_ones_are_used_where_there_are_any():
    run = run_python("from gamma_align import kernels; print(kernels.kind())", **{kernels.VARIABLE: ""})
    assert run.stdout == (f"{kernels.COMPILED}\n" if COMPILED_HERE else f"{kernels.PLAIN}\n")


@pytest.mark.surfaces
def test_another_value_of_the_variable_is_refused_by_name():
    run = run_python(
        "from gamma_align.apps.cli import main; raise SystemExit(main(['--version']))", GAMMA_ALIGN_KERNELS="C"
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "gamma-align: error: GAMMA_ALIGN_KERNELS must be 'compiled' or 'python', not 'C'\n"


def test_asking_for_compiled_kernels_that_are_not_there_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "gamma_align.kernels._native", None)
    monkeypatch.setenv(kernels.VARIABLE, kernels.COMPILED)
    with pytest.raises(SettingsError, match=r"compiled kernels are not installed .*; install a C\+\+17 compiler"):
        kernels._requested_kind()
    monkeypatch.delenv(kernels.VARIABLE)
    assert kernels._requested_kind() == kernels.PLAIN


def test_sources_that_hide_the_compiled_kernels_of_an_installation_warn(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gamma_align.kernels._native", None)
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    (tmp_path / "gamma_align-1.dist-info").mkdir()
    (tmp_path / "gamma_align-1.dist-info" / "METADATA").write_text("Name: gamma-align\nVersion: 1\n")
    installed = tmp_path / "gamma_align" / "kernels"
    installed.mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path)
    (installed / "_native.so").touch()
    assert kernels._requested_kind() == kernels.PLAIN  # editable: these are the sources that are installed
    (installed / "__init__.py").touch()
    with pytest.warns(GammaAlignWarning, match="without the compiled kernels .* start Python in another folder"):
        assert kernels._requested_kind() == kernels.PLAIN
    (installed / "_native.so").unlink()
    assert kernels._requested_kind() == kernels.PLAIN  # installed without a compiler


def test_using_puts_back_what_was_there():
    before = kernels.kind()
    with kernels.using(kernels.PLAIN):
        assert kernels.kind() == kernels.PLAIN
    assert kernels.kind() == before
    with pytest.raises(KeyError), kernels.using("of no kind"):
        pass
    assert kernels.kind() == before


# --- sweep ---


def batch_of(units):
    """Return (instance, annotator, start, end) tuples as a batch of four instances."""
    columns = np.array(units, dtype=np.float64).reshape(-1, 4)
    instance, annotator = columns[:, 0].astype(np.int64), columns[:, 1].astype(np.int64)
    labels = np.zeros(len(columns), dtype=np.int64)
    return Batch.build(np.full(4, 3), instance, annotator, columns[:, 2], columns[:, 3], labels)[0]


def near_pairs_definition(batch, most):
    """Every two units of different annotators of an instance, one by one."""
    found = []
    unit = [(0, start, end, None) for start, end in zip(batch.start.tolist(), batch.end.tolist(), strict=True)]
    for u, v in itertools.permutations(range(batch.n_units), 2):
        if batch.instance[u] == batch.instance[v] and batch.annotator[u] < batch.annotator[v]:
            ratio = oracles.positional_definition(unit[u], unit[v])
            if ratio < most[batch.instance[u]]:
                found.append((u, v, ratio))
    return found


def swept(batch, most):
    return kernels.sweep(batch.offsets, batch.annotator, batch.start, batch.end, np.array(most))


def random_units(rng, number, offset):
    """Return units of four instances and three annotators on a grid of halves: ties, nests, no length."""
    start = rng.integers(0, 20, number) / 2 + offset
    end = start + rng.integers(0, 7, number) / 2
    return list(zip(rng.integers(0, 4, number), rng.integers(0, 3, number), start, end, strict=True))


@by_each_kind
@pytest.mark.parametrize("offset", [0.0, 1e9, -1e9])
def test_near_pairs_are_those_of_the_definition(offset):
    rng = np.random.default_rng(20)
    some = 0
    for number in range(40):
        batch = batch_of(random_units(rng, number, offset))
        most = rng.choice([0.25, 2.0, 5.0, np.inf], 4)
        first, second, ratio = swept(batch, most)
        assert list(zip(first.tolist(), second.tolist(), strict=True)) == [
            (u, v) for u, v, _ in near_pairs_definition(batch, most)
        ]
        assert ratio.tolist() == [value for *_, value in near_pairs_definition(batch, most)]
        some += len(first)
    assert some > 100


@by_each_kind
def test_units_without_length_are_near_only_where_they_coincide():
    batch = batch_of([(0, 0, 1.0, 1.0), (0, 1, 1.0, 1.0), (0, 2, 2.0, 2.0)])
    for most in (1.0, np.inf):
        first, second, ratio = swept(batch, [most] * 4)
        assert (first.tolist(), second.tolist(), ratio.tolist()) == ([0], [1], [0.0])


@by_each_kind
def test_the_distance_named_is_not_near_itself():
    batch = batch_of([(0, 0, 0.0, 2.0), (0, 1, 1.0, 3.0)])  # (1 + 1) / 4, squared
    assert len(swept(batch, [0.25] * 4)[0]) == 0
    assert len(swept(batch, [np.nextafter(0.25, 1)] * 4)[0]) == 1


@by_each_kind
@pytest.mark.parametrize("units", [[], [(2, 0, 0.0, 1.0)], [(2, 0, 0.0, 1.0), (2, 0, 0.0, 1.0), (3, 1, 0.0, 1.0)]])
def test_one_annotator_alone_has_no_pairs(units):
    first, second, ratio = swept(batch_of(units), [np.inf] * 4)
    assert len(first) == len(second) == len(ratio) == 0


@needs_compiled
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.floats(-100, 100), st.floats(0, 30) | st.just(0.0)),
        max_size=25,
    ),
    st.lists(st.floats(1e-6, 50) | st.just(np.inf), min_size=4, max_size=4),
)
@example([(1, 0, 1.0, 0.0), (1, 1, 0.0, 4e-160)], [np.inf] * 4)  # the square of the ratio is beyond all numbers
def test_both_sweeps_give_the_same_bits(units, most):
    batch = batch_of([(at, who, start, start + length) for at, who, start, length in units])
    arrays = (batch.offsets, batch.annotator, batch.start, batch.end, np.array(most))
    first = by_both(kernels.sweep, *arrays)[0]
    (counts,) = by_both(lambda *arrays: (kernels.count_near(*arrays),), *arrays)
    assert counts.tolist() == np.bincount(batch.instance[first], minlength=4).tolist()


# --- matching ---


def edges_of(table):
    """Return a table of savings, 0 for no edge, as the arrays of `match`."""
    row, column = np.nonzero(table)
    return np.searchsorted(row, np.arange(len(table) + 1)), column, table[row, column], table.shape[1]


def tables(rng, number):
    """Yield tables of savings: sparse and dense ones, of few values and of many, with empty rows and columns."""
    for at in range(number):
        shape = rng.integers(0, 9, size=2)
        values = rng.integers(1, 5, shape) / 4 if at % 2 else rng.uniform(1e-6, 2.0, shape)
        yield values * (rng.random(shape) < rng.choice([0.2, 0.5, 1.0]))


def check_matching(table, edge, row_price, column_price):
    """Check that a matching is one, that its saving is the greatest, and that the prices prove it."""
    begin, column, saving, _ = edges_of(table)
    row = np.repeat(np.arange(len(table)), np.diff(begin))
    matched = np.flatnonzero(edge >= 0)
    assert (row[edge[matched]] == matched).all()
    assert len(np.unique(column[edge[matched]])) == len(matched)
    total = saving[edge[matched]].sum()
    assert total == pytest.approx(table[linear_sum_assignment(table, maximize=True)].sum(), abs=1e-12)
    assert row_price.sum() + column_price.sum() == pytest.approx(total, abs=1e-12)
    assert (row_price >= 0).all()
    assert (column_price >= 0).all()
    assert (row_price[row] + column_price[column] >= saving - 1e-14).all()


@by_each_kind
def test_a_matching_is_the_best_and_its_prices_prove_it():
    paths = 0
    for table in tables(np.random.default_rng(21), 400):
        found = kernels.match(*edges_of(table))
        check_matching(table, *found)
        paths += (found[2] > 0).any()
    assert paths > 100  # columns that rows competed for


@by_each_kind
def test_a_long_chain_gives_way_where_it_costs_least():
    # rows 0 … n-1 each like column i best and i+1 almost as much; a last row wants column 0 and nothing else
    n = 60
    table = np.zeros((n + 1, n + 1))
    for row in range(n):
        table[row, row], table[row, row + 1] = 1.0, 0.999
    table[n, 0] = 0.5
    edge, row_price, column_price = kernels.match(*edges_of(table))
    check_matching(table, edge, row_price, column_price)
    assert (edge[:n] % 2 == 1).all()  # all gave way
    table[n, 0] = 0.05
    edge, row_price, column_price = kernels.match(*edges_of(table))
    check_matching(table, edge, row_price, column_price)
    assert edge[n] == -1


@by_each_kind
def test_a_row_is_dropped_where_another_saves_more():
    edge, row_price, column_price = kernels.match(*edges_of(np.array([[1.0], [1.5], [1.25]])))
    assert edge.tolist() == [-1, 1, -1]
    assert (row_price.tolist(), column_price.tolist()) == ([0.0, 0.25, 0.0], [1.25])


@by_each_kind
def test_instances_are_matched_as_if_alone():
    parts = [table for table in tables(np.random.default_rng(22), 40) if table.size]
    whole = np.zeros(np.sum([table.shape for table in parts], axis=0))
    corner = np.zeros(2, dtype=np.int64)
    for table in parts:
        whole[corner[0] : corner[0] + len(table), corner[1] : corner[1] + table.shape[1]] = table
        corner += table.shape
    _, row_price, column_price = kernels.match(*edges_of(whole))
    alone = [kernels.match(*edges_of(table)) for table in parts]
    assert row_price.tolist() == np.concatenate([prices for _, prices, _ in alone]).tolist()
    assert column_price.tolist() == np.concatenate([prices for *_, prices in alone]).tolist()


@by_each_kind
def test_nothing_to_match():
    for shape in ((0, 0), (3, 0), (0, 2), (2, 3)):
        edge, row_price, column_price = kernels.match(*edges_of(np.zeros(shape)))
        assert edge.tolist() == [-1] * shape[0]
        assert (row_price.tolist(), column_price.tolist()) == ([0.0] * shape[0], [0.0] * shape[1])


@needs_compiled
def test_both_matchings_give_the_same_bits():
    for table in tables(np.random.default_rng(23), 600):
        by_both(kernels.match, *edges_of(table))


@needs_compiled
@given(st.integers(0, 8), st.integers(0, 8), st.data())
def test_both_matchings_give_the_same_bits_on_awkward_numbers(rows, columns, data):
    one = st.just(0.0) | st.sampled_from([0.1, 0.3, 0.7, 1.0, 1.0 + 1e-12]) | st.floats(1e-9, 2.0)
    values = data.draw(st.lists(one, min_size=rows * columns, max_size=rows * columns))
    table = np.array(values).reshape(rows, columns)
    check_matching(table, *by_both(kernels.match, *edges_of(table)))
