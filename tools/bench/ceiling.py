"""How often the intervals of the human ceiling hold the ceiling of known populations of annotators.

The best answer to each corpus is its model: how often the verdict on it is "above" or "below" is counted as well.

Populations are drawn at random: omissions, additions, confused labels and moved bounds of random size, difficulty that
differs between units, and mistakes that annotators share. F* is computed from the shares of annotators who mark each
element. Annotators are equal, or each multiplies the rates of errors by a number from 0 to 2.

    python tools/bench/ceiling.py [--populations 60] [--corpora 20] [--seed 1] [-o FILE]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import gamma_align as ga
from gamma_align.insight.ceiling.ceiling_result import CeilingScore

OUTPUT = Path(__file__).parent / "results" / "ceiling.md"
BEST = "best"  # the name of the best answer, which is the model
_QUALITIES = np.linspace(0.05, 1.95, 20)  # what annotators multiply rates of errors by
_TRUTH_DOCUMENTS = 400  # that F* is computed from
_N_PLACES = 5  # of additions, for each unit
_MOVES = ((0, 0), (0, 1), (-1, 0), (0, -1), (1, 1))  # bounds: as they are, then the usual mistakes


class Population(NamedTuple):
    """What annotators do to the units of a document."""

    n_annotators: int
    n_documents: int
    units: int
    labels: int
    omissions: float
    additions: float
    confusions: float
    moves: float
    difficulty: float
    shared: float
    is_equal: bool

    @classmethod
    def draw(cls, draw: np.random.Generator, *, is_equal: bool) -> Population:
        """Draw a population at random."""
        return cls(
            int(draw.integers(2, 8)),
            int(draw.integers(8, 31)),
            int(draw.integers(5, 12)),
            int(draw.integers(1, 6)),
            draw.uniform(0, 0.4),
            draw.uniform(0, 0.4),
            draw.uniform(0, 0.25),
            draw.uniform(0, 0.5),
            draw.uniform(0, 1),
            draw.uniform(0, 0.3),
            is_equal,
        )

    def document(self, draw: np.random.Generator) -> np.ndarray:
        """Return the rates of a document: omission, confusion and move of each unit, rate of each addition."""
        hard = np.exp(self.difficulty * draw.normal(size=(3, self.units)))
        rates = np.array([self.omissions, self.confusions, self.moves])[:, None] * hard
        additions = np.full((self.units, _N_PLACES), self.additions / _N_PLACES)
        # A shared mistake: most annotators mark the first place beside the unit.
        additions[draw.random(self.units) < self.shared, 0] = 0.7
        return np.concatenate([rates, additions.T])

    def probabilities(self, rates: np.ndarray, quality: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the shares of annotators of each quality who mark each variant of each unit, and each addition.

        The shapes are (n_qualities, n_units, n_moves, n_labels) and (n_qualities, n_places, n_units).
        """
        omitted, confused, moved = np.minimum(rates[:3] * quality[:, None, None], 0.95).transpose(1, 0, 2)
        by_move = np.stack([1 - moved, *[moved / (len(_MOVES) - 1)] * (len(_MOVES) - 1)], axis=-1)
        wrong = confused / max(self.labels - 1, 1)
        by_label = np.stack([1 - confused, *[wrong] * (self.labels - 1)], axis=-1)
        if self.labels == 1:
            by_label = np.ones_like(by_label)
        marked = (1 - omitted)[..., None, None] * by_move[..., None] * by_label[..., None, :]
        return marked, np.minimum(rates[3:] * quality[:, None, None], 0.95)

    def qualities(self) -> np.ndarray:
        """Return what annotators multiply their rates by."""
        return np.ones(1) if self.is_equal else _QUALITIES

    def ceiling(self, draw: np.random.Generator) -> float:
        """Return F* of the population, from many documents."""
        shares = []
        for _ in range(_TRUTH_DOCUMENTS):
            marked, added = self.probabilities(self.document(draw), self.qualities())
            shares += [marked.mean(axis=0).ravel(), added.mean(axis=0).ravel()]
        p = np.sort(np.concatenate(shares))[::-1]
        return float((2 * np.cumsum(p) / (np.arange(1, len(p) + 1) + p.sum())).max())

    def corpus(self, draw: np.random.Generator, ceiling: float) -> ga.Corpus:
        """Return a corpus of annotators drawn from the population, and of the best answer to it."""
        quality = draw.choice(self.qualities(), self.n_annotators)
        names = [*(f"a{number}" for number in range(self.n_annotators)), BEST]
        records = []
        for number in range(self.n_documents):
            document = f"d{number}"
            rates = self.document(draw)
            shares = [share.mean(axis=0) for share in self.probabilities(rates, self.qualities())]
            marked, added = self.probabilities(rates, quality)
            for annotator, name in enumerate(names[:-1]):
                is_added = draw.random(added[annotator].shape) < added[annotator]
                records += self.records(document, name, _variants(draw, marked[annotator]), is_added)
            records += self.records(document, BEST, *(share > ceiling / 2 for share in shares))
        seen = [(f"d{number}", name) for number in range(self.n_documents) for name in names]
        return ga.Corpus.from_records(records, annotations=seen)

    def records(self, document: str, name: str, marked: np.ndarray, added: np.ndarray) -> list[tuple[object, ...]]:
        """Return the units of an annotator, from a mask of (unit, move, label) and one of (place, unit)."""
        records: list[tuple[object, ...]] = []
        for unit, move, label in np.argwhere(marked).tolist():
            low, high = _MOVES[move]
            records.append((document, name, 100 * unit + 10 + low, 100 * unit + 15 + high, f"label {label}"))
        for place, unit in np.argwhere(added).tolist():
            start = 100 * unit + 30 + 10 * place
            records.append((document, name, start, start + 4, "label 0"))
        return records


def _variants(draw: np.random.Generator, marked: np.ndarray) -> np.ndarray:
    """Return a mask of the variant of each unit that an annotator marks, if any; shape (n_units, n_moves, n_labels)."""
    cumulative = marked.reshape(len(marked), -1).cumsum(axis=1)
    at = draw.random((len(marked), 1))
    is_marked = (at < cumulative) & (at >= np.concatenate([np.zeros_like(at), cumulative[:, :-1]], axis=1))
    return is_marked.reshape(marked.shape)


def holds(score: CeilingScore, truth: float) -> tuple[float, float]:
    """Return whether the intervals of documents and of other annotators hold the truth; NaN if there is none."""
    of_documents = float(score.documents_low <= truth <= score.documents_high)
    of_annotators = float(score.interval_low <= truth <= score.interval_high)
    return of_documents, of_annotators if score.covers == "annotators" else math.nan


def table(populations: int, corpora: int, seed: int) -> Iterator[str]:
    """Draw populations and corpora, and yield the lines of the table of coverage."""
    draw = np.random.default_rng(seed)
    yield (
        "| annotators | k | corpora | interval of documents | of other annotators | bias | RMS error | range "
        "| best answer above | below |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for is_equal in (True, False):
        rows: dict[int, list[tuple[float, ...]]] = {}
        for _ in range(populations // 2):
            population = Population.draw(draw, is_equal=is_equal)
            truth = population.ceiling(draw)
            for _ in range(corpora):
                result = ga.ceiling(population.corpus(draw, truth), model=BEST)
                score = result.score
                if score.no_interval is None:
                    verdict = result.model.verdict if result.model else None
                    rows.setdefault(population.n_annotators, []).append(
                        (
                            *holds(score, truth),
                            score.ceiling - truth,
                            score.high - score.low,
                            verdict == "above",
                            verdict == "below",
                        )
                    )
        everything = [row for group in rows.values() for row in group]
        for k, group in [*sorted(rows.items()), ("all", everything)]:
            documents, others, errors, widths, above, below = np.array(group, dtype=float).T
            cells = [
                "equal" if is_equal else "unequal",
                k,
                len(group),
                f"{documents.mean():.3f}",
                "" if np.isnan(others).all() else f"{np.nanmean(others):.3f}",
                f"{errors.mean():+.3f}",
                f"{math.sqrt((errors**2).mean()):.3f}",
                f"{widths.mean():.3f}",
                int(above.sum()),
                int(below.sum()),
            ]
            yield f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--populations", type=int, default=60)
    parser.add_argument("--corpora", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT, metavar="FILE")
    arguments = parser.parse_args()
    lines = table(arguments.populations, arguments.corpora, arguments.seed)
    about = (
        f"`tools/bench/ceiling.py`, gamma_align {ga.__version__}: {arguments.populations} populations drawn at random "
        f"(seed {arguments.seed}), {arguments.corpora} corpora of each. If annotators are equal, the interval of new "
        "documents is to hold F* in .95; if they are not, that of other annotators, which takes three of them. The "
        "model is the best answer to the population."
    )
    arguments.output.write_text("\n".join(["# Intervals of the human ceiling", "", about, "", *lines, ""]), "utf-8")


if __name__ == "__main__":
    main()
