"""Run published experiments and worked examples of the papers again, and print what comes out; see README.md."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from examples import examples, examples_text
from mathet2017 import (
    FULL_SCALE,
    QUICK_SCALE,
    Mathet2017,
    mathet2017,
    mathet2017_figures,
    mathet2017_rows,
    mathet2017_text,
    verdict_rows,
)
from missing_values import Settings, missing_values, missing_values_text

from gamma_align.present.writers.data import csv_text


def files(result: Mathet2017) -> dict[str, str]:
    """Return the files of an experiment: verdicts, all values, and the figures."""
    return {
        "mathet2017.txt": mathet2017_text(result),
        "mathet2017.csv": csv_text(mathet2017_rows(result)),
        "verdicts.csv": csv_text(verdict_rows(result)),
        **mathet2017_figures(result),
    }


def main(arguments: list[str] | None = None) -> None:
    """Run the experiment that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    experiments = parser.add_subparsers(dest="experiment", required=True)
    worked = experiments.add_parser("examples", help="printed value, ours, and why some do not come out")
    worked.add_argument("--samples", type=int, default=5000, help="random samples of γ, γcat and γk")
    published = experiments.add_parser("mathet2017", help="Mathet 2017, §4.2.3, figures 11 to 15, table 2")
    published.add_argument("--quick", action="store_true", help="a smaller version, of seconds")
    published.add_argument("--jobs", type=int, default=1, help="processes")
    published.add_argument("--folder", type=Path, help="also write the verdicts, all values and the figures here")
    missing = experiments.add_parser("missing-values", help="conceptions of missing values (Mathet 2017, table 2)")
    missing.add_argument("--repetitions", type=int, default=Settings().repetitions, help="tables a row")
    given = parser.parse_args(arguments)
    if given.experiment == "examples":
        text = examples_text(examples(samples=given.samples))
    elif given.experiment == "missing-values":
        text = missing_values_text(missing_values(replace(Settings(), repetitions=given.repetitions)))
    else:
        result = mathet2017(QUICK_SCALE if given.quick else FULL_SCALE, n_jobs=given.jobs)
        text = mathet2017_text(result)
        if given.folder is not None:
            given.folder.mkdir(parents=True, exist_ok=True)
            for name, content in files(result).items():
                (given.folder / name).write_text(content, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
