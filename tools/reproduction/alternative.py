"""Compare `replaceable` on items with the data of Calderon et al. 2025, which are not part of this repository.

    git clone https://github.com/nitaytech/AltTest
    python tools/reproduction/alternative.py AltTest [-o FILE]

Each model on each data set is tested twice: by `replaceable`, and by the definition of the paper written naively
(`tests/oracles/alternative.py`). The table lists ω, ρ and the largest difference of ω, ρ and p; a difference above
1e-9 is an error. The data state no licence, so that they are read from a copy of your own.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import gamma_align as ga

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "oracles"))
from alternative import accuracy, alternative_test, negative_rmse  # noqa: E402

OUTPUT = Path(__file__).parent / "results" / "alternative.md"
TOLERANCE = 1e-9
MIN_INSTANCES = 30
# The score and ε of each data set, as in the authors' notebook.
DATA_SETS = {
    "wax": ("accuracy", 0.1),
    "lgbteen": ("accuracy", 0.2),
    "mtbench": ("accuracy", 0.2),
    "framing": ("accuracy", 0.15),
    "cebab_aspects": ("accuracy", 0.1),
    "summeval": ("negative RMSE", 0.2),
    "10k_prompts": ("negative RMSE", 0.15),
    "cebab_stars": ("negative RMSE", 0.1),
    "lesion": ("negative RMSE", 0.15),
}
SCORES = {"accuracy": ("nominal", accuracy), "negative RMSE": ("interval", negative_rmse)}


def rows(folder: Path, name: str) -> list[tuple[str, str, float, float, float]]:
    """Return data set, model, ω, ρ and the largest difference from the definition, for each model."""
    people, models = (
        json.loads((folder / "data" / name / f"{kind}_annotations.json").read_text(encoding="utf-8"))
        for kind in ("human", "llm")
    )
    score, epsilon = DATA_SETS[name]
    distance, function = SCORES[score]
    answers = {**{f"person {key}": value for key, value in people.items()}, **models}
    records = [(item, who, value) for who, by_item in answers.items() for item, value in by_item.items()]
    result = ga.replaceable(
        ga.ItemTable.from_records(records),
        annotator=[*models],
        distance=distance,
        epsilon=epsilon,
        min_instances=MIN_INSTANCES,
    )
    found = []
    for model, by_item in models.items():
        expected = alternative_test(people, by_item, function, epsilon=epsilon, min_instances=MIN_INSTANCES)
        row = result[model]
        p_values = {person.person.removeprefix("person "): person.p for person in row.people if person.reason is None}
        differences = [abs(row.omega.value - expected.omega), abs(row.rho.value - expected.rho)]
        differences += [abs(p_values[person] - p) for person, p in expected.p.items()]
        found.append((name, model, row.omega.value, row.rho.value, max(differences)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT)
    arguments = parser.parse_args()
    found = [row for name in DATA_SETS for row in rows(arguments.folder, name)]
    lines = [
        "# The alternative annotator test on the data of its authors",
        "",
        "Calderon, Reichart & Dror 2025, github.com/nitaytech/AltTest. Made by `tools/reproduction/alternative.py`;",
        "the last column is the largest difference of ω, ρ and p from the definition written naively.",
        "",
        "| data set | model | ω | ρ | difference |",
        "|---|---|---:|---:|---:|",
        *(f"| {name} | {model} | {omega:.4f} | {rho:.4f} | {error:.0e} |" for name, model, omega, rho, error in found),
        "",
    ]
    arguments.output.write_text("\n".join(lines), encoding="utf-8")
    worst = max(row[-1] for row in found)
    print(f"{len(found)} cases, largest difference {worst:.1e}")
    sys.exit(worst > TOLERANCE)


if __name__ == "__main__":
    main()
