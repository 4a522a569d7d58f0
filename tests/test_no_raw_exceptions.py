"""Whatever the corpus, every public function on one gives values that fit together, or an error of this package."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.errors import GammaAlignError, GammaAlignWarning
from gamma_align.inference.values import Value

LABELS = ([None], ["x"], ["x", "y"], [None, "x", "y", "z"], ["1", "2", "10"], ["", "é", " "], [3, 2.5, 2**60])
SCALES = (1e-300, 1e-160, 1e-12, 1e-3, 1.0, 1.0, 1.0, 1.0, 1e3, 1e12, 1e100, 1e160, 1e298)
SHIFTS = (0.0, 0.0, 0.0, -7.0, 1e6, -1e15)
SAMPLES = (1, 2, 2, 3, 5, 30)

Function = Callable[[ga.Corpus, np.random.Generator, Path], Any]


def a_corpus(rng: np.random.Generator) -> ga.Corpus:
    """Return 1 to 3 documents of 0-4 annotators and 0-12 units: points, coincident, unlabelled, far out, tiny, huge."""
    labels = LABELS[rng.integers(len(LABELS))]
    scale, shift = rng.choice(SCALES), rng.choice(SHIFTS)
    return ga.Corpus.from_continua(
        [a_document(rng, f"d{number}", labels, scale, shift) for number in range(rng.integers(1, 4))]
    )


def a_document(rng: np.random.Generator, name: str, labels: list[Any], scale: float, shift: float) -> ga.Continuum:
    annotators = [f"a{person}" for person in range(rng.choice([0, 1, 2, 2, 3, 3, 4]))]
    span, longest = rng.choice([1, 4, 12, 40]), rng.choice([0, 1, 3, 9])
    units: list[tuple[Any, ...]] = []
    for _ in range(rng.integers(0, 13) if annotators else 0):
        annotator = annotators[rng.integers(len(annotators))]
        start, length = rng.integers(0, span + 1), rng.integers(0, longest + 1)
        label = labels[rng.integers(len(labels))]
        unit = (annotator, float(start * scale + shift), float((start + length) * scale + shift), label)
        units.append((annotator, *units[-1][1:]) if units and rng.random() < 0.3 else unit)
    if rng.random() < 0.6:  # units of one annotator do not overlap
        units = apart(units)
    extent = (shift, float((span + 10) * scale + shift)) if rng.random() < 0.5 else None
    return ga.Continuum.from_records(units, annotators=annotators, document=name, extent=extent)


def apart(units: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Leave out each unit that overlaps one before it of its annotator."""
    kept: list[tuple[Any, ...]] = []
    for unit in units:
        if all(unit[0] != previous[0] or unit[2] <= previous[1] or previous[2] <= unit[1] for previous in kept):
            kept.append(unit)
    return kept


def options(rng: np.random.Generator) -> dict[str, Any]:
    """Return settings of γ, with few samples."""
    return {
        "samples": int(rng.choice(SAMPLES)),
        "seed": int(rng.integers(100)),
        "alpha": float(rng.choice([0, 1, 1, 3])),
        "beta": float(rng.choice([0, 1, 1, 2])),
        "delta_empty": float(rng.choice([0.5, 1, 1])),
        "confidence": str(rng.choice(["positional", "positional", "weighted", "none"])),
    }


# ------------------------------------------------------------------------------------------- what is called


def gamma(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    further = {"min_distance": str(rng.choice(["mean", "half"])), "empty_samples": str(rng.choice(["skip", "one"]))}
    return ga.gamma(corpus, **options(rng), **further)


def gamma_to_a_precision(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    return ga.gamma(corpus, precision=0.3, max_samples=40, seed=int(rng.integers(100)))


def align(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    settings = options(rng)
    return ga.align(corpus.continuum(0), **{name: settings[name] for name in ("alpha", "beta", "delta_empty")})


def families(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    return ga.families(corpus, **options(rng), distance=distance(rng))


def compare(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    second = corpus
    if rng.random() < 2 / 3:
        second = ga.shuffle(corpus, **errors(rng), magnitude=0.5)
    return ga.compare(
        corpus,
        second,
        measure=[["gamma"], ["unitizing-alpha"], ["gamma", "unitizing-alpha"]][rng.integers(3)],
        extents=str(rng.choice(["refuse", "join"])),
        overlap=str(rng.choice(["refuse", "layers"])),
        replicates=int(rng.choice([1, 20])),
        distance=distance(rng),
        **options(rng),
    )


def disagreements(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    return ga.disagreements(corpus, **options(rng), distance=distance(rng))


def consensus(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    ways = [{}, {"votes": "all"}, {"votes": 2}, {"votes": 0.5}, {"weigh": "dawid-skene"}]
    return ga.consensus(corpus, **ways[rng.integers(len(ways))], distance=distance(rng))


def unitizing_alpha(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    return ga.unitizing_alpha(corpus, distance=distance(rng), overlap=str(rng.choice(["refuse", "layers"])))


def unitizing_alpha_2004(corpus: ga.Corpus, _: np.random.Generator, __: Path) -> Any:
    return ga.unitizing_alpha_2004(corpus)


def shuffle(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    return ga.shuffle(corpus, **errors(rng), magnitude=float(rng.choice([0, 0.3, 1])))


def shuffle_grid(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    return ga.shuffle_grid(corpus, **errors(rng), magnitudes=[0.0, 0.5, 1.0], repetitions=2).corpus


def experiment(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    measures = ["gamma", "gamma-cat", "gamma-k", "u-alpha", "cu-alpha"]
    return ga.experiment(
        corpus,
        **errors(rng),
        measures=measures[: rng.integers(1, 6)],
        magnitudes=[0.0, 1.0],
        repetitions=2,
        samples=int(rng.choice(SAMPLES)),
    )


def write(corpus: ga.Corpus, rng: np.random.Generator, folder: Path) -> Any:
    name = str(rng.choice(["tables", "units.csv", "units.tsv", "units.parquet"]))
    ga.write(corpus, folder / name)
    return ga.read(folder / name, outside="extend")


def a_reference_curve(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    return ga.curve(corpus, magnitudes=[0.0, 1.0], repetitions=2, samples=int(rng.choice([2, 3, 5])))


def a_plan(corpus: ga.Corpus, rng: np.random.Generator, _: Path) -> Any:
    return ga.plan(corpus, target=0.1, annotators=[2, 3], repetitions=2, samples=int(rng.choice([2, 3, 5])))


def distance(rng: np.random.Generator) -> str:
    return str(rng.choice(["nominal", "nominal", "ordinal", "interval", "ratio"]))


def errors(rng: np.random.Generator) -> dict[str, Any]:
    """Return kinds of errors, and to whom they happen."""
    kinds = ["shift", "false-negative", "false-positive", "category", "split"]
    selected = [kind for kind in kinds if rng.random() < 0.4] or ["shift"]
    annotator = "a0" if rng.random() < 0.8 else None
    return {
        "kinds": selected,
        "annotators": int(rng.integers(1, 4)),
        "seed": int(rng.integers(100)),
        "annotator": annotator,
    }


CALLS: dict[Function, int] = {
    gamma: 120,
    gamma_to_a_precision: 20,
    align: 100,
    families: 80,
    compare: 80,
    disagreements: 80,
    consensus: 80,
    unitizing_alpha: 120,
    unitizing_alpha_2004: 80,
    shuffle: 100,
    shuffle_grid: 40,
    experiment: 40,
    write: 60,
    a_reference_curve: 15,
    a_plan: 30,
}
"""How many corpora each function gets."""


# ----------------------------------------------------------------------------------------- what must hold


def check(result: Any) -> None:
    """Assert that every number of a result is one that can be."""
    if isinstance(result, ga.Corpus):
        assert (result.end >= result.start).all()
        assert np.isfinite(result.start).all()
        assert np.isfinite(result.end).all()
        return
    for value in values(result):
        assert math.isfinite(value.value) == value.is_available, value
        assert not value.value > 1, value
        assert not value.low > value.value + 1e-9, value
        assert not value.high < value.value - 1e-9, value
    for part in result if isinstance(result, tuple) else [result]:
        json.dumps(part.to_dict(), allow_nan=False)


def values(result: Any) -> list[Value]:
    """Return every Value in a result, however deep."""
    if isinstance(result, Value):
        return [result]
    if isinstance(result, dict):
        inner = list(result.values())
    elif isinstance(result, (tuple, list)):
        inner = list(result)
    else:
        inner = [getattr(result, name) for name in getattr(result, "__dataclass_fields__", ())]
    return [*chain.from_iterable(map(values, inner))]


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.release)])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_any_corpus_has_values_or_an_error_of_this_package(call, step, tmp_path):
    measured = 0
    for seed in range(0, CALLS[call], step):
        rng = np.random.default_rng([seed, *call.__name__.encode()])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", GammaAlignWarning)  # any other is an error
                check(call(a_corpus(rng), rng, tmp_path / str(seed)))
            measured += 1
        except GammaAlignError as error:
            assert str(error)  # noqa: PT017  (most corpora have to pass without one)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
    assert step > 1 or measured > CALLS[call] / 10  # every fourth corpus may lack what some calls need
