"""pygamma-agreement's command line: ``python -m gamma_align.compat.pygamma``, or `pygamma_cmd`.

It takes the same arguments. JSON and CSV hold plain numbers, and ``-d numerical`` has an effect.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gamma_align.compat.pygamma.continuum import Continuum
from gamma_align.compat.pygamma.dissimilarity import (
    AbsoluteCategoricalDissimilarity,
    CombinedCategoricalDissimilarity,
    LevenshteinCategoricalDissimilarity,
    NumericalCategoricalDissimilarity,
)
from gamma_align.compat.pygamma.results import GammaResults
from gamma_align.compat.pygamma.sampler import ShuffleContinuumSampler

Values = Mapping[str, float | Mapping[str, float]]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pygamma-agreement",
        description="Compute γ of CSV files (annotator, category, start, end; no header) or RTTM files, with the "
        "arguments and the samples of pygamma-agreement.",
    )
    add = parser.add_argument
    add("input_csv", type=Path, nargs="+", help="files, or folders of files")
    add("-s", "--separator", default=",", help="delimiter of columns")
    add("--seed", type=int, help="seed of the samples")
    add("-f", "--format", choices=["rttm", "csv"], default="csv", help="format of the files")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("-o", "--output-csv", type=Path, help="write the values to a CSV file")
    output.add_argument("-j", "--output-json", type=Path, help="write the values to a JSON file")
    add("-e", "--empty-delta", type=float, default=1, help="Δ, the cost of an empty unit")
    add("-a", "--alpha", type=float, default=1, help="weight of the position")
    add("-b", "--beta", type=float, default=1, help="weight of the category")
    add("-p", "--precision-level", type=float, default=0.05, help="relative precision of the expected disorder")
    add("-n", "--n-samples", type=int, default=30, help="number of samples; the precision may require more")
    add(
        "-d", "--cat-dissim", choices=["absolute", "numerical", "levenshtein"], default="absolute", help="of categories"
    )
    add("-v", "--verbose", action="store_true", help="print the name of each file when it is read")
    add("-c", "--gamma-cat", action="store_true", help="γcat, too")
    add("-k", "--gamma-k", action="store_true", help="γk of each category, too")
    add("-m", "--mathet-sampler", action="store_true", help="samples of shifted annotators")
    return parser


def pygamma_cmd(argv: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.seed is not None:
        np.random.seed(arguments.seed)
    results: list[tuple[str, Values]] = []  # a file may be given twice
    for path in _files(arguments.input_csv, parser):
        if arguments.verbose:
            print(f"reading {path}", file=sys.stderr)
        results.append((str(path), _values(path, arguments)))
        if arguments.output_csv is None and arguments.output_json is None:
            print("\n".join(_lines(*results[-1])))
    if arguments.output_csv is not None:
        labels = ["filename", *(results[0][1] if results else {})]
        with arguments.output_csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=arguments.separator)
            writer.writerow(labels)
            writer.writerows([name, *values.values()] for name, values in results)
    elif arguments.output_json is not None:
        arguments.output_json.write_text(json.dumps(dict(results), indent=4), encoding="utf-8")


def _files(paths: Sequence[Path], parser: argparse.ArgumentParser) -> list[Path]:
    """Return the files at the paths, and those in folders, sorted; end with an error if a path does not exist."""
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            parser.error(f"{path} does not exist")
        files += sorted(path.iterdir()) if path.is_dir() else [path]
    return files


def _values(path: Path, arguments: argparse.Namespace) -> Values:
    """Return the values of one file."""
    is_rttm = arguments.format == "rttm"
    continuum = Continuum.from_rttm(path) if is_rttm else Continuum.from_csv(path, delimiter=arguments.separator)
    distance: AbsoluteCategoricalDissimilarity | None = None
    if arguments.cat_dissim == "levenshtein":
        distance = LevenshteinCategoricalDissimilarity(continuum.categories)
    elif arguments.cat_dissim == "numerical":
        distance = NumericalCategoricalDissimilarity(continuum.categories)
    dissimilarity = CombinedCategoricalDissimilarity(
        alpha=arguments.alpha, beta=arguments.beta, delta_empty=arguments.empty_delta, cat_dissim=distance
    )
    result: GammaResults = continuum.compute_gamma(
        dissimilarity,
        n_samples=arguments.n_samples,
        precision_level=arguments.precision_level,
        sampler=ShuffleContinuumSampler() if arguments.mathet_sampler else None,
    )
    values: dict[str, float | Mapping[str, float]] = {"gamma": result.gamma}
    if arguments.gamma_cat:
        values["gamma-cat"] = result.gamma_cat
    if arguments.gamma_k:
        values["gamma-k"] = {category: result.gamma_k(category) for category in continuum.categories}
    return values


def _lines(name: str, values: Values) -> list[str]:
    """Return the values of a file as lines of text."""
    lines = [name]
    for label, value in values.items():
        if isinstance(value, Mapping):
            lines += [f"{label}('{category}')={number}" for category, number in value.items()]
        else:
            lines.append(f"{label}={value}")
    return lines
