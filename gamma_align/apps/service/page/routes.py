"""The routes of the page: the page, its style and scripts, its parts, and files to save."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, TypeVar, cast
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from gamma_align.apps.service.api import example_of, service_of, while_connected
from gamma_align.apps.service.examples import EXAMPLES
from gamma_align.apps.service.page import fragments
from gamma_align.apps.service.page.fragments import ViewRequest
from gamma_align.apps.service.page.look import Step
from gamma_align.apps.service.pool import ignore
from gamma_align.apps.service.refusal import Refusal
from gamma_align.apps.service.service import Draft
from gamma_align.apps.service.store import Kept
from gamma_align.data import ROLES, USUAL, Json
from gamma_align.distances import NAMES
from gamma_align.measures.gamma import CONVENTIONS, DISTANCE, GAMMA_OPTIONS
from gamma_align.options import Control, Option, Real
from gamma_align.present.figures import COLOURS, PATTERNS, Palette, palette_css
from gamma_align.present.page import safe, source
from gamma_align.present.page.environment import environment
from gamma_align.reading import OUTSIDE, formats
from gamma_align.version import __version__

ResultT = TypeVar("ResultT")
router = APIRouter(include_in_schema=False)
_STATIC_FOLDER = files(__package__).joinpath("static")
_SCRIPT_NAMES = frozenset(path.name for path in _STATIC_FOLDER.iterdir() if path.name.endswith(".js"))
_REPORT_SCRIPTS = ("report.js", "decide.js")  # which the file of a report contains
_OPTIONS = tuple(option for option in (*GAMMA_OPTIONS, OUTSIDE) if option.control is not None)
"""The options in the form."""
_SCRIPT_FIELDS = ("affects", "is_percent", "short")
"""The properties of a field that the scripts read."""
_MEDIA_TYPES = {"csv": "text/csv", "svg": "image/svg+xml", "report": "text/html"}
"""The kinds of files to save."""
Kind = Literal["csv", "svg", "report"]


@router.get("/")
async def page() -> HTMLResponse:
    """Return the page, which scripts fill."""
    return HTMLResponse(_page())


@cache
def _page() -> str:
    """Return the HTML of the page with all fields of the form."""
    fields = {option.name: _field(option) for option in _OPTIONS}
    sections: dict[str, dict[str, Json]] = {}
    for name, field in fields.items():
        sections.setdefault(field["section"], {})[name] = field
    all_styles = tuple(map(str, range(len(COLOURS) * len(PATTERNS))))
    return (
        environment(fragments.PACKAGE)
        .get_template("page.html")
        .render(
            version=__version__,
            patterns=safe(Palette(all_styles, in_page=True).definitions()),
            defaults=_defaults(),
            fields={name: {key: field[key] for key in _SCRIPT_FIELDS} for name, field in fields.items()},
            sections=sections,
            usual={role: USUAL[role].split() for role in ROLES},
            examples=[*EXAMPLES.values()],
            formats=[fmt for _, fmt in sorted(formats.formats().items())],
        )
    )


def _defaults() -> dict[str, dict[str, Json]]:
    """Return the default settings of the form for each set of conventions."""
    common = {DISTANCE.name: DISTANCE.shown_default}
    return {
        name: {**{option.name: option.value_under(name) for option in _OPTIONS}, **common, CONVENTIONS.name: name}
        for name in CONVENTIONS.words
    }


def _field(option: Option) -> dict[str, Json]:
    """Return the properties of an option for the form and its script."""
    control = cast("Control", option.control)
    words = NAMES if option is DISTANCE else option.words
    titles = {**control.choices, "nominal": "nominal: same or not"}
    return {
        **control._asdict(),
        "choices": [(word, titles.get(word, word)) for word in words],
        "sign": "%" if control.is_percent else control.symbol,
        "short": control.symbol or control.title.split(maxsplit=1)[0].lower(),
        "keyboard": "decimal" if isinstance(option.kind, Real) else "numeric",
    }


@router.get("/static/page.css")
async def style() -> Response:
    """Return the style: the colours of drawings, the style of the report, and the style of the page."""
    # The style of the report is for its sections alone: the page has other sections and buttons.
    report = f"#report{{{source('style.css')}}}"
    css = palette_css() + source("base.css") + source("page.css", fragments.PACKAGE) + report
    return Response(css, media_type="text/css")


@router.get("/static/{name}")
async def script(name: str) -> Response:
    """Return a script."""
    if name in _REPORT_SCRIPTS:
        return Response(source(name), media_type="text/javascript")
    # No other file of this machine can be requested.
    if name not in _SCRIPT_NAMES:
        raise Refusal("not_found", f"there is no script {name[:64]!r}")
    return Response(_STATIC_FOLDER.joinpath(name).read_bytes(), media_type="text/javascript")


def _window(
    start: Annotated[float | None, Query(alias="from", allow_inf_nan=False)] = None,
    end: Annotated[float | None, Query(alias="to", allow_inf_nan=False)] = None,
) -> tuple[float, float] | None:
    """Return the window in the address, None unless it has both ends."""
    return None if start is None or end is None else (start, end)


def _view_request(
    request: Request,
    settings: Annotated[str, Query(max_length=10_000)] = "{}",
    document: Annotated[str | None, Query()] = None,
    at: Annotated[int | None, Query()] = None,
    window: Annotated[tuple[float, float] | None, Depends(_window)] = None,
    hide: Annotated[tuple[str, ...], Query()] = (),
    without: Annotated[tuple[str, ...], Query()] = (),
    go: Annotated[Step | None, Query()] = None,
    width: Annotated[float, Query(ge=200, le=4000)] = 900.0,
    job: Annotated[str | None, Query()] = None,
    model: Annotated[tuple[str, ...], Query()] = (),
) -> ViewRequest:
    """Return the part of a document that a request asks for."""
    result = None
    if job is not None:
        requested_job = service_of(request).jobs.get(job)
        result = requested_job.result if requested_job.state == "done" else None
    return ViewRequest(settings, document, at, window, hide, without, go, width, result, model)


def _source(request: Request, data: str | None = None, example: str | None = None) -> Kept:
    """Return the stored data that a request refers to."""
    service = service_of(request)
    if example is not None:
        return example_of(service, example)
    return service.store.get(data or "", "data")


AnyWatch = Annotated[str | None, Query(max_length=32)]
AnyView = Annotated[ViewRequest, Depends(_view_request)]
AnySource = Annotated[Kept, Depends(_source)]


@router.get("/page/show")
async def show(request: Request, data: AnySource, view: AnyView, parts: str, watch: AnyWatch = None) -> JSONResponse:
    """Return the requested parts of the page by name; meanwhile, `gap` returns drafts of a long alignment."""
    names = tuple(parts.split(","))
    if unknown := [name for name in names if name not in fragments.PARTS]:
        raise Refusal("not_found", f"the page has no part {unknown[0][:64]!r}", location={"field": "parts"})
    drafts = service_of(request).drafts

    def listen(kind: str, value: object) -> None:
        if watch is None:
            return
        draft = drafts.setdefault(watch, Draft())
        if kind == "gap" and isinstance(value, float):
            draft.gap = value if draft.gap is None else min(draft.gap, value)
        elif kind == "draft" and isinstance(value, dict):
            draft.number = draft.number + 1
            draft.shown = value
            draft.gap = value["gap"]

    try:
        shown = await _call(request, fragments.show, data, listen=listen, request=view, parts=names)
    finally:
        drafts.pop(watch or "", None)
    if "corpus" in shown:
        measured = service_of(request).jobs.measured(data, view.settings)
        job = None if measured is None else measured.id
        shown["corpus"] |= {"name": data.title, "job": job, "has_lost_result": data.has_lost_result}
    return JSONResponse(shown)


@router.get("/page/followed")
async def followed(request: Request, seen: Annotated[int, Query()] = -1) -> JSONResponse:
    """Return the project that is followed, and the id of its newest documents; null if none is, or it was seen."""
    project = service_of(request).followed
    if project is None:
        return JSONResponse({"number": None})
    if project.number == seen:
        return JSONResponse({"number": seen})
    html = environment(fragments.PACKAGE).get_template("followed.html").render(project=project)
    data = None if project.data is None else project.data.id
    return JSONResponse({"number": project.number, "html": html, "data": data})


@router.get("/page/report")
async def report_sections(request: Request, data: AnySource, view: AnyView, job: str) -> JSONResponse:
    """Return the sections of the report of a result, made in a worker of jobs."""
    with _holding(request, job, view):
        return JSONResponse(
            await _call(request, fragments.sections, data, request=view, title=data.title, is_long=True)
        )


@router.get("/page/cards")
async def cards(
    request: Request,
    data: AnySource,
    view: AnyView,
    job: str,
    key: Annotated[str, Query(max_length=10_000)],
    first: Annotated[int, Query(ge=0)] = 0,
    count: Annotated[int, Query(ge=1, le=100)] = 20,
) -> JSONResponse:
    """Return some of the cards of a list of the report."""
    with _holding(request, job, view):
        page_of_cards = await _call(
            request, fragments.cards, data, request=view, title=data.title, key=key, first=first, count=count
        )
        return JSONResponse(page_of_cards)


@contextlib.contextmanager
def _holding(request: Request, job: str, view: ViewRequest) -> Iterator[None]:
    """Hold the folder of a job, in which a worker stores the report of its result."""
    if view.result is None:
        raise Refusal("not_found", "there is no result yet", "wait until it is measured")
    service = service_of(request)
    kept = service.jobs.get(job).kept
    kept.users += 1
    try:
        yield
    finally:
        kept.users -= 1
        service.store.measure(kept)


@router.get("/page/gap")
async def gap(request: Request, watch: AnyWatch, seen: Annotated[int, Query()] = 0) -> JSONResponse:
    """Return the gap of the alignment that is being computed, and the last draft unless it was seen."""
    draft = service_of(request).drafts.get(watch or "", Draft())
    shown = draft.shown if draft.number > seen else None
    return JSONResponse({"gap": draft.gap, "number": draft.number, "draft": shown})


@router.get("/page/save/{kind}")
async def save(request: Request, kind: Kind, data: AnySource, view: AnyView) -> Response:
    """Return a file to save: the picture of the window, the report, or the result as CSV."""
    # `Kind` has been checked, so no other function can be requested.
    function: Callable[..., str] = getattr(fragments, kind)
    text = await _call(request, function, data, request=view, title=data.title, is_long=kind == "report")
    return Response(text, media_type=_MEDIA_TYPES[kind], headers={"Content-Disposition": "attachment"})


@router.post("/page/decided/{format_name}")
async def decided(request: Request, format_name: str, data: AnySource, view: AnyView) -> Response:
    """Return the decided corpus as a file to save; the body is a file of decisions. Its name and notes are a header."""
    decisions = await request.body()
    download = await _call(
        *(request, fragments.decided, data),
        is_long=True,
        request=view,
        title=data.title,
        decisions=decisions,
        format_name=format_name,
    )
    # Headers are ASCII, which percent-encoding makes of any name.
    about = quote(json.dumps({"name": download.name, "notes": download.notes}))
    headers = {"Content-Disposition": "attachment", "X-File": about}
    return Response(download.content, media_type="application/octet-stream", headers=headers)


@router.post("/page/leave", status_code=204)
async def leave(request: Request, job: str) -> Response:
    """Cancel a job that the page has left, if it is not done."""
    jobs = service_of(request).jobs
    left_job = jobs.get(job)
    if not left_job.is_final:
        jobs.cancel(left_job)
    return Response(status_code=204)


async def _call(
    client: Request,
    function: Callable[..., ResultT],
    data: Kept,
    *,
    listen: Callable[[str, object], None] = ignore,
    is_long: bool = False,
    **arguments: object,
) -> ResultT:
    """Call a function in a worker, and return its value. The worker is ended if the client disconnects."""
    service = service_of(client)
    arguments |= {"data": data.data, "limits": service.limits}
    # `Service.call` ends the worker if its task is cancelled before it is done.
    return await while_connected(client, service.call(function, data, is_long=is_long, listen=listen, **arguments))
