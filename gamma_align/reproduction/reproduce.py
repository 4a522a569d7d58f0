"""`reproduce`: published experiments and worked examples by name, run again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, overload

from gamma_align.errors import SettingsError
from gamma_align.reproduction.examples import Examples, examples
from gamma_align.reproduction.mathet2017 import FULL, QUICK, Mathet2017, mathet2017
from gamma_align.reproduction.missing_values import MissingValues, Settings, missing_values


@overload
def reproduce(name: Literal["examples"], **settings: object) -> Examples: ...
@overload
def reproduce(name: Literal["mathet2017"], **settings: object) -> Mathet2017: ...
@overload
def reproduce(name: Literal["missing-values"], **settings: object) -> MissingValues: ...
def reproduce(name: str, **settings: Any) -> Examples | Mathet2017 | MissingValues:
    """Return a published experiment, or the worked examples of the papers, run again.

    Parameters
    ----------
    name : {"examples", "mathet2017", "missing-values"}
        What to run: printed values of the papers; the experiments of Mathet 2017, figures 11-15; or its comparison of
        conceptions of missing values (table 2).
    **settings
        Of the examples: ``samples`` and ``seed``. Of mathet2017: ``quick`` (a smaller version, of seconds), fields of
        `gamma_align.reproduction.mathet2017.Scale` such as ``repetitions``, ``n_jobs`` and ``progress``. Of missing
        values: fields of `gamma_align.reproduction.missing_values.Settings`.

    Returns
    -------
    Examples, Mathet2017 or MissingValues
        Each with ``to_dict``.

    Raises
    ------
    SettingsError
        For another name, or a setting out of its range.

    Examples
    --------
    >>> result = ga.reproduce("missing-values", items=20, repetitions=10)
    >>> result.best("alike", 0.3) in ("IL", "VL", "PL", "RM")
    True
    """
    if name == "examples":
        return examples(**settings)
    if name == "missing-values":
        return missing_values(Settings(**settings))
    if name == "mathet2017":
        scale = QUICK if settings.pop("quick", False) else FULL
        options = {option: settings.pop(option, None) for option in ("n_jobs", "progress")}
        return mathet2017(replace(scale, **settings), **options)
    raise SettingsError(f"nothing named {name!r} to reproduce; there are examples, mathet2017, missing-values")
