"""The corpus of a request: one or several paths, and a selection from it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence

from gamma_align.data import Corpus, Json
from gamma_align.errors import Cure, InputError, Location, OutOfMemoryError, Set, SettingsError
from gamma_align.reading.read import read
from gamma_align.requests.settings import Values, reading_settings, selection


def read_whole(paths: Sequence[str], values: Values, name: str | None = None) -> Corpus:
    """Read the full corpus of all paths, without selection; `name` names them in errors about data that were read.

    Raises
    ------
    InputError, SettingsError, MissingExtraError
        As `read`; if two paths contain an annotator of the same document.
    """
    settings = {"outside": values["outside"], **reading_settings(values)}
    try:
        corpus = read(paths, **settings)
    except OSError as error:
        shown = error.filename or " and ".join(paths)
        raise InputError(f"cannot read {shown}: {error.strerror or error}") from None
    with naming(name):
        return with_changed_bounds(corpus, values)


def with_changed_bounds(corpus: Corpus, values: Values) -> Corpus:
    """Return the corpus with its units trimmed, and those without length widened, as a request says."""
    trimmed = corpus.trim() if values["trim"] else corpus
    return trimmed if values["width"] is None else trimmed.widen(values["width"])


@contextlib.contextmanager
def naming(path: str | None) -> Iterator[None]:
    """Name the path in errors about data that can be read but not measured."""
    try:
        yield
    except (InputError, OutOfMemoryError) as error:
        raise error if path is None else error.prefixed(path) from None


def selected(corpus: Corpus, values: Values) -> Corpus:
    """Return the part of a corpus that a request selects."""
    choices = selection(values)
    if not choices:
        return corpus
    try:
        result = corpus.select(**choices)
    except SettingsError:
        # The error of all options together does not name the option at fault.
        _check_choices(corpus, choices)
        raise
    if not result.documents:
        raise SettingsError(
            "none of these annotators saw any of these documents",
            Cure(f"change {' or '.join(['{}'] * len(choices))}", *map(Set, choices)),
        )
    return result


def _check_choices(corpus: Corpus, choices: Mapping[str, Json]) -> None:
    """Refuse the first option with a name that the corpus does not have."""
    for name, names in choices.items():
        try:
            corpus.select(**{name: names})
        except SettingsError as error:
            raise error.at(Location.for_option(name)) from None
