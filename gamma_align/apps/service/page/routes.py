"""The routes of the page: itself, its style and scripts, its parts, and what is saved from it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response

from gamma_align.apps.service.api import example_of, service_of
from gamma_align.apps.service.examples import EXAMPLES
from gamma_align.apps.service.page import fragments
from gamma_align.apps.service.page.fragments import Wanted
from gamma_align.apps.service.page.look import Step
from gamma_align.apps.service.refusal import Refusal
from gamma_align.apps.service.store import Kept
from gamma_align.distances import NAMES
from gamma_align.measures.gamma.gamma_options import CONVENTIONS, DISTANCE, GAMMA_OPTIONS
from gamma_align.options import Control, Option, Real
from gamma_align.present.figures.palette import COLOURS, PATTERNS, Palette, palette_css
from gamma_align.present.page.environment import environment, safe, source
from gamma_align.reading import formats
from gamma_align.reading.options import OUTSIDE
from gamma_align.version import __version__

router = APIRouter(include_in_schema=False)
_STATIC = Path(__file__).parent / "static"
_SCRIPTS = frozenset(path.name for path in _STATIC.glob("*.js"))
_OPTIONS = tuple(option for option in (*GAMMA_OPTIONS, OUTSIDE) if option.control is not None)
"""The options in the form."""
_IN_SCRIPT = ("affects", "is_percent", "short")

_MEDIA = {"csv": "text/csv", "svg": "image/svg+xml", "report": "text/html"}
Kind = Literal["csv", "svg", "report"]


@router.get("/")
async def page() -> HTMLResponse:
    """Return the page; scripts fill it."""
    return HTMLResponse(_page())


@cache
def _page() -> str:
    fields = {option.name: _field(option) for option in _OPTIONS}
    sections: dict[str, dict[str, Any]] = {}
    for name, field in fields.items():
        sections.setdefault(field["section"], {})[name] = field
    every = tuple(map(str, range(len(COLOURS) * len(PATTERNS))))
    return (
        environment(fragments.PACKAGE)
        .get_template("page.html")
        .render(
            version=__version__,
            patterns=safe(Palette(every, in_page=True).definitions()),
            defaults=_defaults(),
            fields={name: {key: field[key] for key in _IN_SCRIPT} for name, field in fields.items()},
            sections=sections,
            examples=[*EXAMPLES.values()],
            formats=[fmt for _, fmt in sorted(formats.formats().items())],
        )
    )


def _defaults() -> dict[str, dict[str, Any]]:
    """Return the settings of the form by conventions, as the options declare them."""
    common = {DISTANCE.name: DISTANCE.shown_default}
    return {
        name: {**{option.name: option.value_under(name) for option in _OPTIONS}, **common, CONVENTIONS.name: name}
        for name in CONVENTIONS.words
    }


def _field(option: Option) -> dict[str, Any]:
    """Return what the form shows of an option, and what its script has to know."""
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
    """Return the style: the tokens of the drawings, what the report has too, and the page's own."""
    css = palette_css() + source("base.css") + source("page.css", fragments.PACKAGE)
    return Response(css, media_type="text/css")


@router.get("/static/{name}")
async def script(name: str) -> Response:
    """Return a script."""
    if name not in _SCRIPTS:
        raise Refusal("not_found", f"there is no script {name[:64]!r}")
    return FileResponse(_STATIC / name, media_type="text/javascript")


def _window(
    start: Annotated[float | None, Query(alias="from", allow_inf_nan=False)] = None,
    end: Annotated[float | None, Query(alias="to", allow_inf_nan=False)] = None,
) -> tuple[float, float] | None:
    return None if start is None or end is None else (start, end)


def _wanted(
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
) -> Wanted:
    """Return what a request asks to see."""
    result = None
    if job is not None:
        named = service_of(request).jobs.get(job)
        result = named.result if named.state == "done" else None
    return Wanted(settings, document, at, window, hide, without, go, width, result)


def _source(request: Request, data: str | None = None, example: str | None = None) -> Kept:
    """Return the data that a request names."""
    service = service_of(request)
    if example is not None:
        return example_of(service, example)
    return cast("Kept", service.store.get(data or "", "data"))


AnyWatch = Annotated[str | None, Query(max_length=32)]
AnyWanted = Annotated[Wanted, Depends(_wanted)]
AnySource = Annotated[Kept, Depends(_source)]


@router.get("/page/show")
async def show(
    request: Request, data: AnySource, wanted: AnyWanted, parts: str, watch: AnyWatch = None
) -> JSONResponse:
    """Return the parts of the page that are asked for, by name; what takes long is told to those who `watch`."""
    names = tuple(parts.split(","))
    if unknown := [name for name in names if name not in fragments.PARTS]:
        raise Refusal("not_found", f"the page has no part {unknown[0][:64]!r}", where={"field": "parts"})
    gaps = service_of(request).gaps

    def told(kind: str, gap: float) -> None:
        if kind == "gap" and watch is not None:
            gaps[watch] = gap

    try:
        shown = await _called(request, fragments.show, data, told=told, wanted=wanted, parts=names)
    finally:
        gaps.pop(watch or "", None)
    return JSONResponse({**shown, **({"corpus": {**shown["corpus"], "name": data.name}} if "corpus" in shown else {})})


@router.get("/page/gap")
async def gap(request: Request, watch: AnyWatch) -> JSONResponse:
    """Return how far the best alignment known may be from the best there is, while that is looked for; null if not."""
    return JSONResponse({"gap": service_of(request).gaps.get(watch or "")})


@router.get("/page/save/{kind}")
async def save(request: Request, kind: Kind, data: AnySource, wanted: AnyWanted) -> Response:
    """Return what is saved: the picture of what is read, the report, or the result as CSV."""
    text = await _called(request, getattr(fragments, kind), data, wanted=wanted, is_long=kind == "report")
    return Response(text, media_type=_MEDIA[kind], headers={"Content-Disposition": "attachment"})


@router.post("/page/leave", status_code=204)
async def leave(request: Request, job: str) -> Response:
    """Cancel a job that the page has no interest in any more, if it goes on."""
    jobs = service_of(request).jobs
    named = jobs.get(job)
    if not named.is_final:
        jobs.cancel(named)
    return Response(status_code=204)


async def _called(request: Request, function: Callable[..., Any], data: Kept, **arguments: Any) -> Any:  # noqa: ANN401
    """Return what a function returns in a worker, which is ended where nobody waits for it any more."""
    service = service_of(request)
    call = asyncio.create_task(service.call(function, data, data=data.data, limits=service.limits, **arguments))
    left = asyncio.create_task(_left(request))
    try:
        await asyncio.wait([call, left], return_when=asyncio.FIRST_COMPLETED)
        if not call.done():
            raise Refusal("cancelled", "nobody waits for it")
        return call.result()
    finally:
        call.cancel()
        left.cancel()


async def _left(request: Request) -> None:
    """Wait until the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
