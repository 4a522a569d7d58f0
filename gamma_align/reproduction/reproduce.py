"""`reproduce` runs published experiments and worked examples again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, overload

from gamma_align.errors import SettingsError
from gamma_align.reproduction.examples import Examples, examples
from gamma_align.reproduction.mathet2017 import FULL_SCALE, QUICK_SCALE, Mathet2017, mathet2017
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
        Printed values of the papers; the experiments of Mathet 2017, figures 11-15; or its comparison of conceptions of
        missing values (table 2).
    **settings
        For examples: ``samples`` and ``seed``. For mathet2017: ``quick`` (a smaller version that takes seconds), fields
        of `gamma_align.reproduction.mathet2017.Scale` such as ``repetitions``, ``n_jobs`` and ``progress``. For
        missing-values: fields of `gamma_align.reproduction.missing_values.Settings`.

    Returns
    -------
    Examples, Mathet2017 or MissingValues
        The result of the experiment.

    Raises
    ------
    SettingsError
        If the name is unknown or a setting is out of its range.

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
        scale = QUICK_SCALE if settings.pop("quick", False) else FULL_SCALE
        # These are no fields of the scale, because they do not change the result.
        options = {option: settings.pop(option, None) for option in ("n_jobs", "progress")}
        return mathet2017(replace(scale, **settings), **options)
    raise SettingsError(f"no experiment {name!r}; there are examples, mathet2017, missing-values")
