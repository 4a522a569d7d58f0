"""Options of `look`."""

from __future__ import annotations

from gamma_align.options import Group, Listed, Option

LOOK_OPTIONS = Group(
    (
        Option(
            "model",
            Listed("escaped", python="str | Iterable[str]"),
            "annotators that are models, with wildcards * and ?: the values are of the people, and each model is "
            "placed among them",
            default=(),
            metavar="A,B",
            explanation="The annotators that are models; names may have the wildcards ``*`` and ``?``. The values are "
            "of the people, and each model is placed among them.",
        ),
    ),
    "measure",
)
