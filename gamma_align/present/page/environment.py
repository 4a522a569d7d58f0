"""The Jinja environment of the templates: all values are escaped, and filters format names and numbers."""

from __future__ import annotations

from functools import cache, lru_cache

import jinja2
from markupsafe import Markup

from gamma_align.data import label_text, short_labels, short_names
from gamma_align.present.disagreements_tables import short_words
from gamma_align.present.page import numbers

MAX_NAME_LENGTH = 28  # characters of a name in a table: about 200 pixels
_MAX_LABEL_LENGTH = 40  # characters of a label in a table


def _loader(*packages: str) -> jinja2.ChoiceLoader:
    """Return a loader that looks for a template in these packages first, then in the report."""
    return jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in (*packages, "gamma_align.present.page")])


@cache
def environment(*packages: str) -> jinja2.Environment:
    """Return the environment of the templates of the report and of packages that extend them."""
    # With `StrictUndefined`, a misspelled name raises an error instead of printing nothing.
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
        "hundredths": numbers.hundredths,
        "label": lambda label: "no label" if label is None else label_text(label),
        "elided": short_words,
        "short_label": short_label,
        "short_name": short_name,
        "one_line": lambda text: " ".join(text.split()),
    }
    return result


def source(name: str, *packages: str) -> str:
    """Return the text of a style sheet or script among the templates."""
    return _loader(*packages).get_source(environment(*packages), name)[0]


# A template asks for one name at a time; the short forms of all of them are computed once.
@lru_cache(maxsize=16)
def _short_names(names: tuple[str, ...]) -> dict[str, str]:
    return short_names(names, MAX_NAME_LENGTH)


@lru_cache(maxsize=16)
def _short_labels(labels: tuple[str, ...]) -> dict[str | None, str]:
    return short_labels((*labels, None), _MAX_LABEL_LENGTH)


def short_name(name: str, names: tuple[str, ...]) -> str:
    """Return the form of a name in tables: about `MAX_NAME_LENGTH` characters, different from the other names."""
    return _short_names(names)[name]


def short_label(label: str | None, labels: tuple[str, ...]) -> str:
    """Return the form of a label in pages: a long one is cut in the middle and stays different from the others."""
    return _short_labels(labels)[label]


def safe(text: str) -> Markup:
    """Mark text as HTML: style sheets, scripts, and drawings, which escape the names and words in them."""
    return Markup(text)  # noqa: S704
