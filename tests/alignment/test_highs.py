"""Without OR-Tools, HiGHS solves the same programmes: the same disorders, alignments and proofs."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import run
from places import CORPORA
from scipy.sparse import csr_matrix
from solver_cases import batch_of, corpus_of

import gamma_align as ga
from gamma_align.alignment import backend, certification, generation, highs, lp
from gamma_align.alignment import partition as rounds
from gamma_align.alignment.candidates import Columns
from gamma_align.alignment.cover import solve_cover
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.solve import solve

HEARST = CORPORA / "hearst_kazantseva"


@pytest.fixture
def without_ortools(monkeypatch):
    """Return a function that makes OR-Tools impossible to import."""

    def block():
        monkeypatch.setitem(sys.modules, "ortools", None)
        backend.has_ortools.cache_clear()

    yield block
    monkeypatch.undo()
    backend.has_ortools.cache_clear()


def packing(seed, *, rows=12, columns=40):
    """Return a random matrix of rows × columns of two or three rows each, and savings."""
    draw = np.random.default_rng(seed)
    matrix = np.zeros((rows, columns))
    for column in range(columns):
        matrix[draw.choice(rows, draw.integers(2, 4), replace=False), column] = 1.0
    return csr_matrix(matrix), draw.uniform(0.1, 3.0, columns)


@pytest.mark.parametrize("seed", range(5))
def test_programmes_have_the_optimum_of_ortools(seed, without_ortools):
    matrix, saving = packing(seed)
    x, _ = lp.packing_lp(matrix, saving)
    selected, bound = lp.packing_ip(matrix, saving, Deadline())
    covered, lower = lp.covering_ip(matrix, saving, Deadline())
    without_ortools()
    x_here, y_here = lp.packing_lp(matrix, saving)
    assert saving @ x_here == pytest.approx(saving @ x, abs=1e-9)
    # dual prices prove the optimum
    assert y_here.sum() == pytest.approx(saving @ x_here, abs=1e-9)
    assert (matrix.T @ y_here >= saving - 1e-9).all()
    selected_here, bound_here = lp.packing_ip(matrix, saving, Deadline())
    assert (matrix @ selected_here <= 1).all()
    assert saving @ selected_here == pytest.approx(saving @ selected, abs=1e-9)
    assert bound_here == pytest.approx(bound, abs=1e-9)
    covered_here, lower_here = lp.covering_ip(matrix, saving, Deadline())
    assert (matrix @ covered_here >= 1).all()
    assert saving @ covered_here == pytest.approx(saving @ covered, abs=1e-9)
    assert lower_here == pytest.approx(lower, abs=1e-9)


def test_a_growing_programme_has_the_prices_of_all_its_columns(without_ortools):
    without_ortools()
    master = lp.new_master(3, once=False)
    assert isinstance(master, lp.BulkMaster)
    assert master.solve().tolist() == [0, 0, 0]
    # columns of units 0 and 1, then of 1 and 2, then of 2
    first = Columns(np.array([0, 2]), np.array([0, 1]), np.ones(1))
    rest = Columns(np.array([0, 2, 3]), np.array([1, 2, 2]), np.ones(2))
    master.add(first, np.array([2.0]))
    assert master.solve().sum() == pytest.approx(2.0)
    master.add(rest, np.array([3.0, 1.5]))
    assert master.solve().sum() == pytest.approx(3.5)
    assert master.values().tolist() == pytest.approx([1.0, 0.0, 1.0])
    assert len(master) == 3


@pytest.mark.parametrize("path", ["usual", "programmes alone", "columns on demand", "cover"])
@pytest.mark.parametrize("annotators", [3, 4, 6])
def test_alignments_and_proofs_are_those_of_ortools(path, annotators, monkeypatch, without_ortools):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(annotators), 4, annotators, 5, span=12))
    solver = solve_cover if path == "cover" else solve
    if path == "programmes alone":
        monkeypatch.setattr(rounds, "_ROUNDS", ())
        monkeypatch.setattr(certification, "_MAX_WORK", 1)
    if path in ("columns on demand", "cover"):
        monkeypatch.setattr(generation, "_MAX_SOFT_ANNOTATORS", 0)
        monkeypatch.setattr(Limits, "columns_for", lambda _, units: np.zeros_like(units))
    usual = solver(batch, bound_to, Limits())
    without_ortools()
    here = solver(batch, bound_to, Limits())
    assert here.cost == pytest.approx(usual.cost, abs=1e-9)
    assert (here.is_proven == usual.is_proven).all()
    if path != "cover":
        assert (here.group == usual.group).all()


def test_a_search_that_is_stopped_has_a_bound(monkeypatch, without_ortools):
    matrix, saving = packing(1)
    without_ortools()
    stopped = SimpleNamespace(status=1, x=None, mip_dual_bound=-3.5 * highs._SCALE, message="")
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: stopped)
    x, bound = lp.packing_ip(matrix, saving, Deadline())
    assert (x.any(), bound) == (False, 3.5)
    assert lp.covering_ip(matrix, saving, Deadline())[0] is None


def test_a_failure_is_told(monkeypatch, without_ortools):
    matrix, saving = packing(1)
    without_ortools()
    failed = SimpleNamespace(status=4, x=None, message="numerical difficulties")
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: failed)
    monkeypatch.setattr("scipy.optimize.linprog", lambda *_, **__: failed)
    for solve_programme in (lambda: lp.packing_lp(matrix, saving), lambda: lp.packing_ip(matrix, saving, Deadline())):
        with pytest.raises(ga.SolverError, match="numerical difficulties"):
            solve_programme()


def test_the_signature_and_the_version_name_highs_and_the_numbers_are_the_same(without_ortools):
    corpus = ga.read(HEARST)
    usual = ga.gamma(corpus, samples=5)
    assert "HiGHS" not in usual.signature
    assert "programmes solved by OR-Tools" in run("--version").stdout
    without_ortools()
    here = ga.gamma(corpus, samples=5)
    assert here.gamma == usual.gamma
    assert "|programmes:HiGHS|" in here.signature
    assert "programmes solved by HiGHS, as OR-Tools is not installed" in run("--version").stdout


def test_ortools_as_the_solver_is_refused_where_it_is_not_installed(without_ortools):
    without_ortools()
    with pytest.raises(ga.SettingsError, match="which is not installed"):
        ga.align([("d", "a", 0, 4), ("d", "b", 1, 4)], solver="ortools")
