"""What templates are made with: everything that is not ours is escaped, and numbers are written in one way."""

from __future__ import annotations

from functools import cache, lru_cache

import jinja2
from markupsafe import Markup

from gamma_align.data.wording import label_text, short_labels, short_names, span
from gamma_align.present.page import numbers

_LONGEST_WORDS = 40
NAME_MOST = 28  # characters of a name in a table: about 200 pixels


def _loader(*packages: str) -> jinja2.ChoiceLoader:
    return jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in (*packages, "gamma_align.present.page")])


@cache
def environment(*packages: str) -> jinja2.Environment:
    """Return the environment of the report's templates, and of those of packages that build on them."""
    result = jinja2.Environment(
        loader=_loader(*packages),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    result.filters |= {
        "two": numbers.decimal,
        "three": lambda value: numbers.decimal(value, 3),
        "signed": numbers.signed,
        "count": numbers.count,
        "counted": numbers.counted,
        "percent": numbers.percent,
        "interval": numbers.interval,
        "location": lambda unit: span(unit.start, unit.end),
        "label": lambda label: "no label" if label is None else label_text(label),
        "elided": elided,
        "short_label": short_label,
        "short_name": short_name,
        "one_line": lambda text: " ".join(text.split()),
    }
    return result


def source(name: str, *packages: str) -> str:
    """Return a style or script of ours as it stands."""
    return _loader(*packages).get_source(environment(*packages), name)[0]


def elided(words: str) -> str:
    """Return words with single blanks, the middle of long ones left out."""
    words = " ".join(words.split())
    half = _LONGEST_WORDS // 2
    return words if len(words) <= _LONGEST_WORDS else f"{words[:half]}…{words[-half + 1 :]}"


@lru_cache(maxsize=16)
def _short_names(names: tuple[str, ...], most: int) -> dict[str, str]:
    return short_names(names, most)


@lru_cache(maxsize=16)
def _short_labels(labels: tuple[str, ...], most: int) -> dict[str | None, str]:
    return short_labels((*labels, None), most)


def short_name(name: str, names: tuple[str, ...]) -> str:
    """Return one of several names as tables print it: at most about `NAME_MOST` characters, unlike the others."""
    return _short_names(names, NAME_MOST)[name]


def short_label(label: str | None, labels: tuple[str, ...]) -> str:
    """Return one of the labels of a corpus as pages print it: cut in the middle if it is long, unlike the others."""
    return _short_labels(labels, _LONGEST_WORDS)[label]


def safe(text: str) -> Markup:
    """Return what is HTML already: our own style and script, and drawings, which escape what is written in them."""
    return Markup(text)  # noqa: S704
