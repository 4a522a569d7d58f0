"""Layers with features, as in UIMA: which layer is meant, and which of its features is the category of its units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamma_align.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gamma_align.io.marks.choices import Choices


def short(layer: str) -> str:
    """Return what follows the last point of a layer's name."""
    return layer.rpartition(".")[2]


def is_named(layer: str, choices: Choices) -> bool:
    """Whether the user names the layer, by its whole name or what follows its last point; ``"*"`` names none."""
    return choices.layers is not None and (layer in choices.layers or short(layer) in choices.layers)


def are_several(with_units: Collection[str], choices: Choices) -> bool:
    """Whether units are in several layers and the user has yet to choose; then none of them needs a feature."""
    by_layer = any("{layer}" in (pattern or "") for pattern in (choices.annotator, choices.document))
    return choices.layers is None and not by_layer and len(with_units) > 1


def category_feature(
    layer: str, features: Sequence[str], others: Sequence[str], choices: Choices, file: str
) -> str | None:
    """Return the feature of a layer that is the category of its units, ``None`` where there is none.

    Parameters
    ----------
    layer : str
        Whole name of the layer.
    features : sequence of str
        Its features that a category may be read from without being asked for.
    others : sequence of str
        Its features that may be the category only where the user says so.
    choices : Choices
        `layers` may name the feature.
    file : str
        For the message.

    Raises
    ------
    InputError
        For a feature that the layer does not have, or where it has several and none was chosen.
    """
    chosen = choices.feature(layer)
    told = ", ".join(map(repr, (*features, *others))) or "none"
    if chosen is not None:
        if chosen not in features and chosen not in others:
            raise InputError(f"{file}: layer {layer!r} has no feature {chosen!r} that can be a category; it has {told}")
        return chosen
    if len(features) > 1:
        name = f"{short(layer)}:{features[-1]}"
        raise InputError(
            f"{file}: layer {layer!r} has {len(features)} features, {told}; say which is the category with "
            f"layers={name!r} (--layers {name})"
        )
    return features[0] if features else None


def told_feature(layer: str, feature: str | None, choices: Choices) -> list[str]:
    """Return a note on the feature that was taken, if the user did not name it."""
    if feature is None or choices.feature(layer) is not None:
        return []
    return [f"layer {layer!r}: the category of a unit is its feature {feature!r}, the only one"]
