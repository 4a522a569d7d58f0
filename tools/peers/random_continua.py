"""Compare pygamma-agreement and the layer on random continua.

    python tools/peers/random_continua.py OUTPUT PYTHON

PYTHON is an interpreter with pygamma-agreement. The same functions run there and here, with the same seeds of NumPy.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

N_CONTINUA = 24
NUMBERS = ("observed", "expected", "gamma", "gamma_cat", "gamma_k", "soft observed", "soft expected", "soft gamma_cat")
TOLERANCE = 1e-6  # single precision there


def results(package: object, index: int) -> dict[str, float]:
    """Return the numbers of one random continuum, computed by a package with pygamma-agreement's names."""
    continuum, categories = random_continuum(package, index)
    distances = [
        package.AbsoluteCategoricalDissimilarity,
        lambda: package.LevenshteinCategoricalDissimilarity(categories),
    ]
    dissimilarity = package.CombinedCategoricalDissimilarity(
        1 + index % 3, 1 + index % 2, cat_dissim=distances[index % 2]()
    )
    found = {}
    for prefix, soft in (("", False), ("soft ", True)):
        np.random.seed(index)
        sampler = package.ShuffleContinuumSampler("float_pivot") if index % 4 == 0 else None
        result = continuum.compute_gamma(dissimilarity, n_samples=10, soft=soft, sampler=sampler)
        found[f"{prefix}observed"], found[f"{prefix}expected"] = result.observed_disorder, result.expected_disorder
        found[f"{prefix}gamma_cat"] = result.gamma_cat
        if not soft:
            found["gamma"], found["gamma_k"] = result.gamma, result.gamma_k(categories[0])
    return {name: float(value) for name, value in found.items()}


def random_continuum(package: object, index: int) -> tuple[object, list[str]]:
    """Return a continuum of two to four annotators who mark about the same units, and its categories."""
    random = np.random.RandomState(1000 + index)
    continuum = package.Continuum()
    segment = sys.modules["pyannote.core"].Segment
    for annotator in range(2 + index % 3):
        for start in np.cumsum(random.uniform(1, 6, size=9 - 2 * (index % 3))):
            begin = float(start + random.normal(0, 0.8))
            label = ("noun", "verb", "adverb")[random.randint(3)]
            continuum.add(f"ann{annotator}", segment(begin, begin + float(random.uniform(0.5, 4))), label)
    return continuum, list(continuum.categories)


def shuffled(package: object, index: int) -> list[tuple[str, float, float, str]]:
    """Return the units of shuffled copies, without the errors that are counted differently."""
    reference, _ = random_continuum(package, 3 * index)
    tool = package.CorpusShufflingTool(0.2 + 0.2 * (index % 4), reference)
    np.random.seed(index)
    copies = tool.corpus_shuffle(["x", "y"], shift=True, false_neg=True, split=True)
    return [(name, float(unit.segment.start), float(unit.segment.end), unit.annotation) for name, unit in copies]


def all_results(package: object) -> dict[str, list]:
    """Return everything that is compared."""
    return {
        "continua": [results(package, index) for index in range(N_CONTINUA)],
        "shuffled": [shuffled(package, index) for index in range(8)],
    }


def main(output: Path, interpreter: str) -> int:
    """Write the table; return 1 if a number differs."""
    done = subprocess.run([interpreter, __file__, "theirs"], capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    ours = json.loads(json.dumps(all_results(layer())))
    lines = [
        "# Random continua",
        "",
        "Written by `python tools/peers/random_continua.py tools/peers/results/random_continua.md PYTHON`:",
        "pygamma-agreement 0.5.9 and `gamma_align.compat.pygamma` with the same seeds of NumPy.",
        "",
        f"| number | continua | equal within {TOLERANCE:g} | largest difference |",
        "|---|---|---|---|",
    ]
    n_different = 0
    for name in NUMBERS:
        pairs = zip(theirs["continua"], ours["continua"], strict=True)
        difference = np.array([abs(there[name] - here[name]) for there, here in pairs])
        n_equal = int((difference <= TOLERANCE).sum())
        n_different += len(difference) - n_equal
        lines.append(f"| {name} | {len(difference)} | {n_equal} | {difference.max():.1e} |")
    pairs = zip(theirs["shuffled"], ours["shuffled"], strict=True)
    n_equal = sum(there == here for there, here in pairs)
    n_different += len(ours["shuffled"]) - n_equal
    lines.append(f"| shuffled copies (shift, false negatives, splits) | {len(ours['shuffled'])} | {n_equal} | |")
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(n_different > 0)


def layer() -> object:
    """Return the layer; pyannote's segments are its own."""
    from gamma_align.compat import pygamma

    sys.modules["pyannote.core"] = pygamma
    return pygamma


if __name__ == "__main__":
    if sys.argv[1] == "theirs":
        import logging

        import pyannote.core  # noqa: F401  (found in sys.modules)
        import pygamma_agreement

        logging.disable(logging.WARNING)
        print("\n" + json.dumps(all_results(pygamma_agreement)))
    else:
        sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
