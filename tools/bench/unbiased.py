"""Is the expected disorder of the default estimate that of plain samples? 100 documents, 20,000 plain samples each.

γ = 1 - observed / expected, and the observed disorder does not depend on the samples, so 1 / (1 - γ) is the expected
disorder in units of the observed one; so it is with γcat. Each document is measured by its own precision with many
seeds, and with plain samples in blocks. The difference of the two means, by its standard error (Welch), should be like
a draw from Student's t. A bias would show as a mean away from 0, or as more large values than chance allows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from chance_documents import made
from scipy import stats
from table import line

import gamma_align as ga
from gamma_align.data.corpus import Corpus

SEEDS = 24
BLOCKS = 20  # of plain samples
SAMPLES = 1_000  # of a block
PRECISION = 0.03


def documents() -> Corpus:
    """Return 100 documents of 3 to 6 annotators."""
    kinds = [("translations", 3, 40), ("evaluations", 3, 30), ("arguments", 3, 10)]
    kinds += [("translations", annotators, 5) for annotators in (4, 5, 6)]
    kinds += [("evaluations", 4, 5)]
    continua = [
        made(kind, 1_000 * annotators + seed, annotators=annotators)
        for kind, annotators, number in kinds
        for seed in range(number)
    ]
    return Corpus.from_continua(continua)


def expected(result: ga.GammaResult) -> np.ndarray:
    """Return 1 / (1 - γ) and 1 / (1 - γcat) of each document, shape (2, n_documents); NaN if one of them is 1 or NA."""
    values = [[getattr(row, name).value for row in result.documents] for name in ("gamma", "gamma_cat")]
    disorder = 1.0 - np.array(values, dtype=np.float64)
    disorder[disorder <= 0] = np.nan
    return 1.0 / disorder


def t_values(ours: np.ndarray, plain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Welch's t of each document and the p of each, of arrays of shape (n_measurements, n_documents)."""
    known = ~np.isnan(ours).any(axis=0) & ~np.isnan(plain).any(axis=0)
    test = stats.ttest_ind(ours[:, known], plain[:, known], axis=0, equal_var=False)
    varies = ~np.isnan(test.statistic)
    return test.statistic[varies], test.pvalue[varies]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "results" / "unbiased.md")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--blocks", type=int, default=BLOCKS)
    arguments = parser.parse_args()
    corpus = documents()
    ours = [
        expected(ga.gamma(corpus, precision=PRECISION, precision_of="documents", seed=seed))
        for seed in range(arguments.seeds)
    ]
    plain = [
        expected(ga.gamma(corpus, samples=SAMPLES, control="none", seed=10_000 + seed))
        for seed in range(arguments.blocks)
    ]
    samples = arguments.blocks * SAMPLES
    lines = [
        "# The expected disorder by default beside plain samples",
        "",
        f"`tools/bench/unbiased.py`, gamma_align {ga.__version__}: {len(corpus)} documents of 3 to 6 annotators,",
        f"{arguments.seeds} seeds of a precision of {PRECISION:g} for each document, beside {samples:,} plain samples",
        f"of each document in {arguments.blocks} blocks. *Difference* is the mean over the documents, as a share of",
        "the plain mean, with its standard error.",
        "",
        "| of | documents | difference | mean t | standard deviation of t | largest | p < .05 | p, Kolmogorov |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, index in (("γ", 0), ("γcat", 1)):
        mine = np.array(ours)[:, index]
        theirs = np.array(plain)[:, index]
        t, p = t_values(mine, theirs)
        ratio = mine.mean(axis=0) / theirs.mean(axis=0) - 1.0
        ratio = ratio[~np.isnan(ratio)]
        error = ratio.std(ddof=1) / np.sqrt(len(ratio))
        uniform = stats.kstest(p, "uniform").pvalue
        cells = [
            name,
            str(len(t)),
            f"{ratio.mean():+.5f} ± {error:.5f}",
            f"{t.mean():+.3f}",
            f"{t.std(ddof=1):.3f}",
            f"{np.abs(t).max():.2f}",
            f"{np.mean(p < 0.05):.2f}",
            f"{uniform:.2f}",
        ]
        lines.append(line(cells))
    arguments.output.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
