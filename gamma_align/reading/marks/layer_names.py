"""Layers: the names in tiers (TextGrid, ELAN), and the feature of a layer that is the category (UIMA)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from gamma_align.data import few
from gamma_align.errors import Cure, InputError, Location, Set, SettingsError
from gamma_align.reading.marks.choices import FORMAT_OPTIONS, Choices
from gamma_align.reading.marks.marks import Marks

TIER_OPTION = "a pattern for the names of tiers, such as '{layer}@{annotator}'"
"""What ``options={"tiers": …}`` is, for messages."""

_MAX_SHOWN = 3  # names in a note


class Tier(NamedTuple):
    """The layer and the annotator in the name of a tier; the annotator is ``None`` if the name has none."""

    layer: str
    annotator: str | None


class TierNames:
    """Layers and annotators by the names of tiers.

    The pattern has ``{layer}``, which matches as little as possible, and ``{annotator}``. Without a pattern, or if a
    name does not match it, the name is the layer.
    """

    def __init__(self, pattern: str | None) -> None:
        self._pattern = None if pattern is None else _compile_pattern(pattern)
        self._text = pattern
        self._unfit: Counter[str] = Counter()

    def tier(self, name: str) -> Tier:
        """Return layer and annotator in the name of a tier."""
        match = None if self._pattern is None else self._pattern.fullmatch(name)
        if match is not None:
            return Tier(match["layer"], match["annotator"])
        if self._pattern is not None:
            self._unfit[name] += 1
        return Tier(name, None)

    def note(self, marks: Marks) -> None:
        """Add a note on tiers with names that do not fit the pattern."""
        if self._unfit:
            marks.note(
                f"the names of tiers ({self._unfit.total()}) do not fit {self._text!r}, and are their "
                f"layers: {few(map(repr, self._unfit), _MAX_SHOWN)}"
            )


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern of tier names; SettingsError unless it has both fields once."""
    parts = {"layer": "(?P<layer>.+?)", "annotator": "(?P<annotator>.+)"}
    groups = []
    try:
        for text, field, spec, conversion in string.Formatter().parse(pattern):
            groups.append(re.escape(text))
            if field is not None:
                groups.append(parts.pop(field) if not spec and not conversion else "")
    except (KeyError, ValueError):
        # An unknown or repeated field leaves a part over, so that the pattern is refused.
        parts = {"layer": ""}
    if parts:
        raise SettingsError(f"the option 'tiers' is {pattern!r}, not {TIER_OPTION}", location=FORMAT_OPTIONS)
    return re.compile("".join(groups), re.DOTALL)


def note_same(marks: Marks, names: Iterable[str]) -> None:
    """Add a note on tiers of one name, which are one layer."""
    repeated = [f"{count} {name!r}" for name, count in Counter(names).items() if count > 1]
    if repeated:
        marks.note(f"tiers of one name are read as one: {few(repeated, _MAX_SHOWN)}")


def short(layer: str) -> str:
    """Return the part of a layer's name after the last point."""
    return layer.rpartition(".")[2]


def is_named(layer: str, choices: Choices) -> bool:
    """Whether the user names the layer, in full or by the part after its last point; ``"*"`` names none."""
    return choices.layers is not None and (layer in choices.layers or short(layer) in choices.layers)


def are_several(with_units: Collection[str], choices: Choices) -> bool:
    """Whether units are in several layers and the user has yet to choose; then none of them needs a feature."""
    return choices.layers is None and not choices.by_layer and len(with_units) > 1


def category_feature(
    layer: str,
    features: Sequence[str],
    optional_features: Sequence[str],
    filled: Counter[str],
    choices: Choices,
    file: str,
) -> str | None:
    """Return the feature of a layer that is the category of its units, ``None`` if there is none.

    The category is the only one of `features`, or the feature that `layers` of the choices names, which may also be one
    of `optional_features`. `filled` counts the units with a value of each; messages propose the first that has any.
    """
    requested = choices.feature(layer)
    have = ", ".join(map(repr, (*features, *optional_features))) or "none"
    if requested is not None:
        if requested not in features and requested not in optional_features:
            raise InputError(
                f"layer {layer!r} has no feature {requested!r} that can be a category; it has {have}",
                location=Location(file),
            )
        return requested
    if len(features) > 1:
        name = f"{short(layer)}:{next((name for name in features if filled[name]), features[0])}"
        counted = ", ".join(f"{name!r} ({filled[name]} units)" for name in (*features, *optional_features))
        raise InputError(
            f"layer {layer!r} has {len(features)} features, {counted}",
            Cure("say which is the category with {}", Set("layers", name)),
            Location(file),
        )
    return features[0] if features else None


def feature_notes(layer: str, feature: str | None, n_units: int, filled: Counter[str], choices: Choices) -> list[str]:
    """Return notes on the category feature: the user did not name it, or units have no value of it."""
    if feature is None:
        return []
    without = n_units - filled[feature]
    notes = [f"layer {layer!r}: {without} of {n_units} units have no {feature!r}, and no category"] if without else []
    if choices.feature(layer) is not None:
        return notes
    return [*notes, f"layer {layer!r}: the category of a unit is its feature {feature!r}, the only one"]
