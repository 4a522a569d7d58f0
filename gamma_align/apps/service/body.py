"""Requests in JSON: their schema, which OpenAPI publishes, and the corpus or table of items they contain."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gamma_align.apps.service.refusal import MAX_PROBLEMS, Refusal, refusal_for
from gamma_align.data import Corpus, ItemTable, Json
from gamma_align.errors import InputError
from gamma_align.requests import Values, with_changed_bounds

Name = Annotated[str, Field(min_length=1)]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Unit(_Shape):
    """A unit of one annotator. The category is optional."""

    document: Name = "document"
    annotator: Name
    start: float
    end: float
    category: str | None = None


class Judgment(_Shape):
    """The category that one annotator gives one item; null for no judgment."""

    item: Name
    annotator: Name
    category: str | int | float | None


class Body(_Shape):
    """The data of a request, and the settings of the measure."""

    units: list[Unit] | None = Field(None, description="The units of all annotators, for all but items.")
    annotations: list[tuple[Name, Name]] | None = Field(
        None, description="Pairs of document and annotator: who saw what, for annotators without a unit in it."
    )
    extents: dict[Name, tuple[float, float]] = Field({}, description="From where to where each document goes.")
    texts: dict[Name, str] = Field({}, description="The texts of documents whose boundaries count code points.")
    judgments: list[Judgment] | None = Field(None, description="Of items alone: the judgments of all annotators.")
    settings: dict[str, Json] = Field({}, description="Settings of the measure.")


def checked(body: bytes) -> dict[str, Json]:
    """Return a body in JSON; Refusal with the location of the first faults if it does not fit the schema."""
    try:
        return dict(Body.model_validate_json(body))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
    if faults[0]["type"] == "json_invalid":
        raise Refusal("usage", f"the request is not JSON: {faults[0]['msg']}", "send an object, in UTF-8")
    problems = tuple({"message": fault["msg"], "cure": None, "where": _location(fault["loc"])} for fault in faults)
    raise Refusal(
        *("invalid_input", f"{_written(faults[0]['loc'])}: {faults[0]['msg']}"),
        location=_location(faults[0]["loc"]),
        n_others=len(faults) - 1,
        problems=problems[:MAX_PROBLEMS] if len(faults) > 1 else (),
    )


def _location(path: tuple[int | str, ...]) -> dict[str, object]:
    return {"field": _written(path)}


def _written(path: tuple[int | str, ...]) -> str:
    """Return a path in JSON as it is written: ``units[3].end``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.lstrip(".") or "the request"


def corpus_of(body: dict[str, Json], values: Values) -> Corpus:
    """Return the units of a request as a corpus, with its texts."""
    if body["units"] is None:
        raise Refusal("invalid_input", "there are no units", "send units, a file, or name ?data= or ?example=")
    texts = body["texts"]
    # An extent in the request takes precedence over the length of the text.
    extents = {name: (0.0, float(len(text))) for name, text in texts.items()} | body["extents"]
    records = [(unit.document, unit.annotator, unit.start, unit.end, unit.category) for unit in body["units"]]
    with _by_index("units"):
        corpus = Corpus.from_records(
            records, annotations=body["annotations"], extents=extents or None, outside=values["outside"]
        )
    if texts:
        corpus = replace(corpus, texts=tuple(texts.get(name) for name in corpus.documents))
    return with_changed_bounds(corpus, values)


@contextlib.contextmanager
def _by_index(name: str) -> Iterator[None]:
    """Name rows of a list in errors by their index from 0, like JSON does."""
    try:
        yield
    except InputError as error:
        problem = error.problem
        if problem.location is None or problem.location.row is None:
            raise
        raise refusal_for("invalid_input", problem._replace(location=problem.location._replace(file=name))) from None


def item_table(body: dict[str, Json], values: Values) -> ItemTable:
    """Return the judgments of a request as a table of items."""
    if body["judgments"] is None:
        raise Refusal("invalid_input", "there are no judgments", "send judgments, or a table of them as a file")
    rows = [(judgment.item, judgment.annotator, judgment.category) for judgment in body["judgments"]]
    columns = {name: [row[index] for row in rows] for index, name in enumerate(("item", "annotator", "category"))}
    with _by_index("judgments"):
        return ItemTable.from_columns(
            columns, layout="long", categories=values["categories"], sets=values["sets"], na=values["na"]
        )
