"""Make ``gamma.json``: ``python tests/golden/make_tables.py FOLDER``.

FOLDER holds ``pygamma_expected.json`` and ``coefficient_oracle.json`` (collected from other programs and from
papers, see README.md). Values nobody else gives are computed here with the definitions of ``tests/oracles/oracles.py``
and SciPy: an assignment for two annotators, an integer programme over all useful tuples for more.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "oracles"))

import oracles  # noqa: E402  (found beside the tests)

if TYPE_CHECKING:
    from collections.abc import Iterator

PYGAMMA = "pygamma-agreement 0.5.9 (git 44587ef)"
DATA = HERE.parent.parent / "corpora" / "pygamma"

# what M15 prints for figure 10, to its digits: half a unit of the last one
PRINTED = {"fig10_0": 0.05, "fig10_1": 1e-9, "fig10_2": 0.05, "fig10_3": 0.05, "fig10_4": 0.005, "fig10_5": 0.005}


def tables(folder: Path) -> dict:
    peers = json.loads((folder / "pygamma_expected.json").read_text(encoding="utf-8"))
    coefficients = {
        entry["id"]: entry for entry in json.loads((folder / "coefficient_oracle.json").read_text(encoding="utf-8"))
    }
    asserted = {entry["id"]: entry for entry in peers["assertions"]}
    return {
        "pairs": [_pair(e) for e in asserted.values() if e["quantity"] == "pair dissimilarity"]
        + [_pair(asserted["cat_sym"])],
        "given_alignments": [_given(asserted["alignment_disorder"])],
        "best_alignments": [_best(asserted["best_alignment_disorder"])],
        "known_deviations": [_deviation(asserted["unitary_with_empty"])],
        "fixtures": [_fixture(fixture) for fixture in peers["dkpro_fixtures"]],
        "observed": [*_observed(peers["measured_reference_values"]), *_computed()],
        "k2011": {
            "rows": coefficients["k2011.Do_IL"]["data"]["rows"],
            "alpha": coefficients["k2011.krippendorff.nominal"]["expected"],
            "source": coefficients["k2011.alpha"]["source"],
        },
        "mathet_fig3": {
            "observers": coefficients["mathet_fig3.gammacat_weights"]["data"]["observers"],
            "expected": coefficients["mathet_fig3.gammacat_weights"]["expected"],
            "source": coefficients["mathet_fig3.gammacat_weights"]["source"],
            "note": coefficients["mathet_fig3.gammacat_weights"]["note"],
        },
    }


def _weights(params: dict) -> dict:
    positional = params.get("kind") == "positional_sporadic"
    matrix = params.get("cat_matrix")
    return {
        "alpha": 1.0 if positional else float(params["alpha"]),
        "beta": 0.0 if positional else float(params["beta"]),
        "delta_empty": float(params["delta_empty"]),
        "labels": matrix["categories_alphabetical"] if matrix else None,
        "matrix": matrix["matrix"] if matrix else None,
    }


def _pair(entry: dict) -> dict:
    source = "M15 figure 10, as printed" if entry["id"] in PRINTED else f"{PYGAMMA} {entry['test']}"
    return {
        "id": entry["id"],
        "source": source,
        "u": entry["input"]["u"],
        "v": entry["input"]["v"],
        **_weights(entry["params"]),
        "expected": entry["expected"],
        "tolerance": PRINTED.get(entry["id"], 1e-9),
    }


def _given(entry: dict) -> dict:
    return {
        "id": entry["id"],
        "source": f"{PYGAMMA} {entry['test']}",
        "alignment": entry["input"]["alignment"],
        **_weights(entry["params"]),
        "expected": entry["expected"],
    }


def _best(entry: dict) -> dict:
    units = [[name, *unit] for name, units in entry["input"]["continuum"].items() for unit in units]
    return {
        "id": entry["id"],
        "source": f"{PYGAMMA} {entry['test']}",
        "units": units,
        **_weights(entry["params"]),
        "expected": entry["expected"],
    }


def _deviation(entry: dict) -> dict:
    return {
        "id": entry["id"],
        "source": f"{PYGAMMA} {entry['test']}",
        "tuple": entry["input"]["tuple"],
        **_weights(entry["params"]),
        "theirs": entry["expected"],
        "ours": 0.3833333333333333,
        "reason": "it divides the unitary disorder by the tuple's own units per annotator, 2/3; "
        "δ(ă) is (0.15 + 0.5 + 0.5) / 3",
    }


def _fixture(fixture: dict) -> dict:
    return {
        "id": fixture["file"].removesuffix(".json"),
        "source": fixture["source"],
        "alpha": fixture["params"]["alpha"],
        "beta": fixture["params"]["beta"],
        "delta_empty": fixture["params"]["deltaEmpty"],
        "units": [[u["annotator"], u["start"], u["end"], u["category"]] for u in fixture["continuum"]],
        "pairs": [
            [
                *(p[name] for name in ("annotatorA", "unitIndexA", "annotatorB", "unitIndexB")),
                *(p[name] for name in ("positional", "categorical", "combined")),
            ]
            for p in fixture["tier1"]["pairDissimilarities"]
        ],
        "disorder": fixture["tier1"]["bestAlignmentDisorder"],
    }


def _observed(measured: list[dict]) -> list[dict]:
    found = {}
    for entry in measured:
        key = entry["file"], entry["alpha"], entry["beta"], entry["delta_empty"]
        value = found.setdefault(key, entry["observed_disorder"])
        if value != entry["observed_disorder"]:
            raise ValueError(f"two observed disorders of {key}")
    return [_row(*key, disorder, source=f"{PYGAMMA}, float32") for key, disorder in found.items()]


def _computed() -> list[dict]:
    """Disorders of the files that were too large for the peers."""
    rows = []
    for file, alpha in (("2by2000.csv", 1), ("2by5000.csv", 1), ("2by5000.csv", 3), ("null_disorder.csv", 1)):
        disorder = by_assignment(units_of_file(file), oracles.Weights(alpha=alpha))
        rows.append(_row(file, alpha, 1, 1, disorder, source="SciPy linear_sum_assignment, make_tables.py"))
    for file, alpha in (("3by500.csv", 1), ("3by500.csv", 3), ("5by100.csv", 1), ("5by100.csv", 3)):
        disorder = by_programme(units_of_file(file), oracles.Weights(alpha=alpha))
        rows.append(_row(file, alpha, 1, 1, disorder, source="SciPy milp over all useful tuples, make_tables.py"))
    return rows


def _row(file: str, alpha: float, beta: float, delta_empty: float, disorder: float, *, source: str) -> dict:
    weights = {"alpha": alpha, "beta": beta, "delta_empty": delta_empty}
    return {"file": file, **weights, "disorder": disorder, "source": source}


def units_of_file(file: str) -> list[oracles.Unit]:
    with (DATA / file).open(encoding="utf-8", newline="") as lines:
        rows = [(row[0], float(row[2]), float(row[3]), row[1]) for row in csv.reader(lines) if row]
    names = sorted({row[0] for row in rows})
    return [(names.index(name), start, end, category) for name, start, end, category in rows]


def by_assignment(units: list[oracles.Unit], weights: oracles.Weights) -> float:
    """Least disorder of two annotators: the matching that saves most, a pair saving 2Δ - d where that is > 0."""
    first, second = ([unit for unit in units if unit[0] == person] for person in (0, 1))
    saving = np.zeros((len(first), len(second)))
    reach = 2 * weights.delta_empty
    starts = np.array([v[1] for v in second])
    longest = max(end - start for _, start, end, _ in units)
    for row, u in enumerate(first):
        # d < 2Δ needs |Δstart| < sqrt(2/α)·(sum of lengths)
        far = math.sqrt(2 / weights.alpha) * 2 * longest
        for column in np.flatnonzero(np.abs(starts - u[1]) <= far):
            d = oracles.dissimilarity_definition(u, second[column], weights)
            saving[row, column] = max(reach - d, 0.0)
    rows, columns = linear_sum_assignment(saving, maximize=True)
    total = weights.delta_empty * len(units) - math.fsum(saving[rows, columns].tolist())
    return total / (len(units) / 2)


def by_programme(units: list[oracles.Unit], weights: oracles.Weights) -> float:
    """Least disorder by an integer programme over the tuples that do not cost more than two parts of them.

    Cutting a tuple in parts A and B changes Σ δ by Δ - (1/C(n,2)) Σ_{a in A, b in B} (d(a,b) - Δ). A tuple for
    which that is negative, for some A and B, is in no best alignment.
    """
    n = max(unit[0] for unit in units) + 1
    size = math.comb(n, 2)
    losses = _losses(units, (size + n - 1) * weights.delta_empty, weights)
    room = size * weights.delta_empty + 1e-9
    possible = [
        (weights.delta_empty + sum(losses[a][b] for a, b in combinations(group, 2)) / size, group)
        for first in range(len(units))
        for group in _groups_from([first], sorted(losses[first]), units, losses)
        if _worth(group, losses, room)
    ]
    groups = oracles.cheapest_cover(len(units), possible)
    return oracles.disorder_definition(units, n, groups, weights)


def _losses(units: list[oracles.Unit], limit: float, weights: oracles.Weights) -> dict[int, dict[int, float]]:
    """Return d - Δ of the pairs that can be in a tuple worth having.

    The rule of `by_programme` with A one unit u of k: Σ_v d(u,v) ≤ (C(n,2) + k - 1)·Δ, a limit for each d.
    """
    losses: dict[int, dict[int, float]] = defaultdict(dict)
    for i, j in combinations(range(len(units)), 2):
        if units[i][0] != units[j][0]:
            d = oracles.dissimilarity_definition(units[i], units[j], weights)
            if d <= limit:
                losses[i][j] = losses[j][i] = d - weights.delta_empty
    return losses


def _groups_from(
    group: list[int], others: list[int], units: list[oracles.Unit], losses: dict[int, dict[int, float]]
) -> Iterator[list[int]]:
    """Every group that adds to this one units of later annotators, all pairs of it within the limit."""
    yield group
    for index in others:
        if units[index][0] > units[group[-1]][0]:
            yield from _groups_from([*group, index], [i for i in others if i in losses[index]], units, losses)


def _worth(group: list[int], losses: dict[int, dict[int, float]], room: float) -> bool:
    for size in range(1, len(group) // 2 + 1):
        for part in combinations(group, size):
            rest = [index for index in group if index not in part]
            if sum(losses[a][b] for a in part for b in rest) > room:
                return False
    return True


if __name__ == "__main__":
    table = tables(Path(sys.argv[1]))
    text = json.dumps(table, ensure_ascii=False, indent=1)
    (HERE / "gamma.json").write_text(text + "\n", encoding="utf-8")
