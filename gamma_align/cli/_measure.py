"""Arguments on the measure, one name and one meaning in every subcommand that has γ or its alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gamma_align.cli._common import add_corpus, non_negative, positive, whole, workers
from gamma_align.cli._distance import add_distance, distance_of
from gamma_align.gammas.precision import CONTROLS
from gamma_align.gammas.sampler import MIN_DISTANCES
from gamma_align.gammas.settings import CONVENTIONS, EMPTY_SAMPLES, Options
from gamma_align.gammas.statistics import CONFIDENCES

if TYPE_CHECKING:
    import argparse

_OFFSETS = {"yes": True, "no": False, "auto": "auto"}
_GIVEN = (*Options.__annotations__, "conventions", "seed", "time_limit")


def add_dissimilarity(parser: argparse.ArgumentParser) -> None:
    """Add a corpus and the arguments that say what its best alignment is."""
    add_corpus(parser)
    group = parser.add_argument_group("dissimilarity")
    group.add_argument(
        "--conventions",
        choices=tuple(CONVENTIONS),
        default="m15",
        help="what decides the options that are not given: the papers, the authors' program, or pygamma-agreement, but "
        "for its sampler (default: m15)",
    )
    _add(group, "alpha", "weight of the position", type=non_negative, metavar="X")
    _add(group, "beta", "weight of the category", type=non_negative, metavar="X")
    _add(group, "delta_empty", "Δ, what an empty unit costs", type=positive, metavar="X")
    add_distance(parser)


def add_measure(parser: argparse.ArgumentParser) -> None:
    """Add a corpus and every argument of γ, γcat and γk."""
    add_dissimilarity(parser)
    group = parser.add_argument_group("chance and γcat")
    _add(
        group,
        "confidence",
        "weight of a pair in γcat: 1 - d_pos/Δ, with d_pos weighed by α, or 1 for every pair",
        choices=CONFIDENCES,
    )
    _add(
        group,
        "empty_samples",
        "samples without aligned units are left out of γcat's chance, or have a disorder of 1",
        choices=EMPTY_SAMPLES,
    )
    _add(
        group,
        "min_distance",
        "least distance of two offsets of a sample: the mean length of units, or half of it",
        choices=tuple(MIN_DISTANCES),
    )
    _add(
        group,
        "integer_offsets",
        "whether offsets are integers; auto: where all bounds of a document are",
        choices=tuple(_OFFSETS),
    )
    _add(group, "precision", "relative precision of the expected disorder, at 95 %%", type=positive, metavar="E")
    _add(group, "samples", "draw N samples a document, whatever the precision", type=whole(1), metavar="N")
    _add(group, "max_samples", "never draw more than N samples a document, and say so", type=whole(1), metavar="N")
    _add(
        group,
        "control",
        "whether alignments of pairs of annotators make the expected disorder of four and more precise with less work",
        choices=CONTROLS,
    )
    group.add_argument("--seed", type=whole(0), default=0, metavar="N", help="seed of the samples (default: 0)")
    group.add_argument("--jobs", type=workers, metavar="N", help="processes to use; -1 for all processors")
    group.add_argument(
        "--time-limit",
        type=positive,
        metavar="SECONDS",
        help="stop looking for proofs then; the result has its gap, and the exit code is 5 if some is not proven",
    )


def _add(group: argparse._ArgumentGroup, name: str, text: str, **settings: Any) -> None:  # noqa: ANN401
    """Add an option that the conventions decide where it is not given, and say how."""
    group.add_argument(f"--{name.replace('_', '-')}", help=f"{text}{_defaults(name)}", **settings)


def _defaults(name: str) -> str:
    values = {conventions: options.get(name) for conventions, options in CONVENTIONS.items()}
    first, *others = values
    differ = [f"{other}: {_shown(values[other])}" for other in others if values[other] != values[first]]
    shown = [] if values[first] is None else [f"default: {_shown(values[first])}"]
    return f" ({'; '.join([*shown, *differ])})" if shown or differ else ""


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def measure_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of `GammaSettings.of` that the arguments give, which are those of `gamma` too.

    Raises
    ------
    InputError
        For a file of a distance that cannot be read as what it should be.
    SettingsError
        For a distance that is none.
    """
    told = vars(arguments)
    given = {name: told[name] for name in _GIVEN if told.get(name) is not None}
    if "integer_offsets" in given:
        given["integer_offsets"] = _OFFSETS[given["integer_offsets"]]
    return {"distance": distance_of(arguments), **given}
