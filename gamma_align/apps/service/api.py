"""The routes of the service: measures, jobs, data, formats and examples."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import PurePath
from typing import Annotated, TypeVar

from fastapi import APIRouter, Header, Query, Request
from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from gamma_align.apps.service import described, work
from gamma_align.apps.service.examples import EXAMPLES
from gamma_align.apps.service.jobs import Job, Jobs
from gamma_align.apps.service.refusal import Refusal
from gamma_align.apps.service.schemas import name_of, reference
from gamma_align.apps.service.service import Service
from gamma_align.apps.service.store import FILES, Kept, safe_name, safe_path
from gamma_align.reading import formats

ResultT = TypeVar("ResultT")
PREFIX = "/api/v1"
"""Prefix of all paths of the API."""
router = APIRouter(prefix=PREFIX)
_JSON_TYPE = "application/json"
_FORM_TYPE = "multipart/form-data"
_CHUNK = 1 << 20  # bytes read or sent at a time
_MAX_BODY_IN_MEMORY = 32 << 10  # bytes of a request: fewer than `_MIN_CACHED_UNITS` of `work`
_MAX_FILES = 2000  # of a form; Starlette allows 1,000, which is less than some corpora have
_MAX_DIGITS = 18  # of an event id: more do not fit into 64 bits

Wait = Annotated[float, Query(ge=0, le=20, description="Seconds to wait for the result; then the job is named.")]
Example = Annotated[str | None, Query(description="The name of an example, in place of data.")]
# Only one of these two may be given, as `described.request` says.
DataId = Annotated[str | None, Query(alias="data", include_in_schema=False)]
ExampleOrData = Annotated[str | None, Query(alias="example", include_in_schema=False)]
FileName = Annotated[str | None, Query(alias="name", description="The name of the file that the body is.")]
# In JSON, which `described.address_settings` says.
SettingsText = Annotated[str | None, Query(alias="settings", include_in_schema=False)]
Replaces = Annotated[str | None, Query(description="A job that is no longer of interest; it is cancelled.")]


def service_of(request: Request) -> Service:
    """Return the service that answers a request."""
    service: Service = request.app.state.service
    return service


def _route_of(command: str) -> Callable[..., Awaitable[Response]]:
    """Return the route function that starts a job of a command."""

    async def start(
        request: Request,
        wait: Wait = 2,
        data: DataId = None,
        example: ExampleOrData = None,
        name: FileName = None,
        settings: SettingsText = None,
        replaces: Replaces = None,
    ) -> Response:
        service = service_of(request)
        kept = service.store.new(is_on_disk=not service.store.has_memory)
        source = None
        try:
            source = await _source(request, kept, data, example, name, settings)
            job = await while_connected(request, _run(service.jobs, command, kept, source, wait, replaces))
        # A cancelled request leaves nothing either: `CancelledError` is no `Exception`.
        except BaseException:
            # A client that has left does not know the id of its job: nobody could ask for the result or cancel it.
            service.jobs.drop(kept.id)
            service.store.drop(kept.id)
            if source is not None and data is None and example is None:
                service.store.drop(source.id)
            raise
        return _answer(job) if job.is_final else _job_response(job, 202)

    return start


for _command, _text in work.COMMANDS.items():
    router.add_api_route(
        f"/{_command}",
        _route_of(_command),
        methods=["POST"],
        name=_command,
        operation_id=_command,
        summary=_text,
        response_class=JSONResponse,
        responses={
            **described.success(200, "The result: what the command prints as JSON.", reference(name_of(_command))),
            **described.job(202, "The job, which goes on."),
            **described.refusals(*described.WITH_DATA),
        },
        openapi_extra=described.request(_command),
    )


@router.post(
    "/data",
    status_code=201,
    responses={
        **described.success(201, "What the data are, and their id.", reference("Data"), located=True),
        **described.refusals(*described.WITH_DATA),
    },
    openapi_extra=described.request(None),
)
async def send_data(
    request: Request, example: Example = None, name: FileName = None, settings: SettingsText = None
) -> Response:
    """Store units or files for later requests, which refer to them by `data`, and describe them."""
    service = service_of(request)
    kept = service.store.new()
    try:
        source = await _source(request, kept, None, example, name, settings)
        about = await _about(service, source, kept)
    finally:
        service.store.drop(kept.id)
    return JSONResponse(about, 201, {"Location": f"{service.api}/data/{source.id}"})


@router.get(
    "/data/{name}",
    responses={
        **described.success(200, "What the data are, and their id.", reference("Data")),
        **described.refusals(*described.WITH_DATA),
    },
    openapi_extra={"parameters": [described.address_settings("align")]},
)
async def data_about(request: Request, name: str, settings: SettingsText = None) -> Response:
    """Describe stored data, read with the given settings."""
    service = service_of(request)
    kept = service.store.new()
    try:
        _keep_settings(kept, settings)
        return JSONResponse(await _about(service, service.store.get(name, "data"), kept))
    finally:
        service.store.drop(kept.id)


@router.delete("/data/{name}", status_code=204, responses=described.refusals(404))
async def drop_data(request: Request, name: str) -> Response:
    """Delete stored data; running jobs that use them go on."""
    service = service_of(request)
    # Data in use stay until they are too old or the store is full.
    if not service.store.get(name, "data").users:
        service.store.drop(name)
    return Response(status_code=204)


@router.get("/jobs/{name}", responses={**described.job(200), **described.refusals(404)})
async def job_state(request: Request, name: str) -> Response:
    """Return the state and the progress of a job."""
    return _job_response(service_of(request).jobs.get(name), 200)


@router.delete("/jobs/{name}", status_code=202, responses={**described.job(202), **described.refusals(404, 409)})
async def cancel_job(request: Request, name: str) -> Response:
    """Cancel a job."""
    service = service_of(request)
    job = service.jobs.get(name)
    service.jobs.cancel(job)
    return _job_response(job, 202)


@router.get(
    "/jobs/{name}/result",
    responses={
        **described.success(
            200, "The result of the job's command.", {"anyOf": [reference(name_of(name)) for name in work.COMMANDS]}
        ),
        **described.refusals(*described.WITH_DATA),
    },
)
async def job_result(request: Request, name: str) -> Response:
    """Return the result of a job that is done, or the error of one that failed."""
    job = service_of(request).jobs.get(name)
    if not job.is_final:
        raise Refusal("job_unfinished", f"the job is {job.state}", "wait for its end, or listen to its events")
    return _answer(job)


@router.get(
    "/jobs/{name}/events",
    response_class=StreamingResponse,
    responses={
        200: {"description": "Events.", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
        **described.refusals(404),
    },
)
async def job_events(
    request: Request, name: str, last: Annotated[str | None, Header(alias="Last-Event-ID")] = None
) -> Response:
    """Send the progress of a job as server-sent events, until its end."""
    service = service_of(request)
    job = service.jobs.get(name)
    # A refusal has a status of its own, which cannot change once the stream has begun.
    service.jobs.check_stream()
    since = int(last) if last is not None and last.isdecimal() and len(last) < _MAX_DIGITS else 0
    return StreamingResponse(service.jobs.events(job, since), media_type="text/event-stream")


@router.get(
    "/formats",
    responses={
        **described.success(200, "The formats.", {"type": "array", "items": reference("Format")}),
        **described.refusals(),
    },
)
async def list_formats() -> JSONResponse:
    """List the formats of files that are read."""
    return JSONResponse(
        [
            {"name": fmt.name, "description": fmt.description, "suffixes": [*fmt.suffixes], "extra": fmt.extra}
            for _, fmt in sorted(formats.formats().items())
        ]
    )


@router.get(
    "/examples",
    responses={
        **described.success(200, "The examples.", {"type": "array", "items": reference("Example")}),
        **described.refusals(),
    },
)
async def list_examples() -> JSONResponse:
    """List the corpora that come with the service."""
    return JSONResponse([example.to_dict() for example in EXAMPLES.values()])


async def _run(jobs: Jobs, command: str, kept: Kept, source: Kept, seconds: float, replaces: str | None) -> Job:
    """Start a job, and return it at its end or after `seconds`."""
    if replaces is not None:
        jobs.drop(replaces)
    end = asyncio.get_running_loop().time() + seconds
    job = await jobs.start(command, kept, source, seconds)
    await jobs.wait(job, end - asyncio.get_running_loop().time())
    return job


async def while_connected(request: Request, work: Coroutine[object, object, ResultT]) -> ResultT:
    """Return the result of work for a client whose request has been read; cancel it if the client disconnects."""
    task = asyncio.ensure_future(work)
    disconnection = asyncio.create_task(_wait_for_disconnection(request))
    try:
        await asyncio.wait([task, disconnection], return_when=asyncio.FIRST_COMPLETED)
        if disconnection.done():
            raise Refusal("cancelled", "nobody waits for it")
        return task.result()
    finally:
        task.cancel()
        disconnection.cancel()


async def _wait_for_disconnection(request: Request) -> None:
    """Wait until the client has disconnected."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _about(service: Service, source: Kept, kept: Kept) -> dict[str, object]:
    """Return the description of data."""
    about: dict[str, object] = await service.call(
        work.describe, source, data=source.data, folder=kept.folder, limits=service.limits
    )
    return {"data": source.id, "name": source.title, **about}


def _answer(job: Job) -> Response:
    """Return the result of a job, or its error."""
    address = {"Location": job.address}
    if job.error is not None:
        raise job.error
    if job.small_result is not None:
        return Response(job.small_result, media_type=_JSON_TYPE, headers=address)
    result = job.result
    if result.stat().st_size <= _CHUNK:  # faster than the threads of FileResponse
        return Response(result.read_bytes(), media_type=_JSON_TYPE, headers=address)
    return FileResponse(result, media_type=_JSON_TYPE, headers=address)


def _job_response(job: Job, status: int) -> Response:
    """Return the state of a job as a response with its address."""
    return JSONResponse(job.to_dict(), status, {"Location": job.address})


async def _source(
    request: Request, kept: Kept, data: str | None, example: str | None, name: str | None, settings: str | None
) -> Kept:
    """Return the stored data of a request, and write its settings to the folder of its job."""
    service = service_of(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if data is not None and example is not None:
        raise Refusal("usage", "data and example are both named", "name one of them", location={"field": "example"})
    _keep_settings(kept, settings)
    if data is not None or example is not None:
        source = service.store.get(data, "data") if data is not None else example_of(service, str(example))
        await _settings_alone(request, kept, settings)
        return source
    is_json = kind == _JSON_TYPE and name is None
    source = service.store.new(is_on_disk=not (is_json and service.store.has_memory))
    try:
        if kind == _FORM_TYPE:
            await _form(request, source, kept)
        # A body with a name is a file even if its type is JSON: some formats of annotations are JSON.
        elif not is_json:
            source.name = source.name_file(name or "data", safe_name(name or "data"))
            await _body(request, source, name)
        else:
            source.name = work.BODY
            await _body(request, source, may_be_in_memory=service.store.has_memory)
    except BaseException:
        service.store.drop(source.id)
        raise
    return source


def example_of(service: Service, name: str) -> Kept:
    """Return the copy of an example in the store."""
    if name not in EXAMPLES:
        names = ", ".join(EXAMPLES)
        raise Refusal(
            "not_found", f"there is no example {name[:64]!r}", f"there are {names}", location={"field": "example"}
        )
    known_as = service.examples.get(name)
    # The store may have deleted the copy, which is then made again.
    with contextlib.suppress(Refusal):
        if known_as is not None:
            return service.store.get(known_as, "data")
    kept = service.store.new()
    kept.name = name
    shutil.copytree(EXAMPLES[name].folder, kept.folder / name)
    service.examples[name] = kept.id
    return kept


def _keep_settings(kept: Kept, text: str | None) -> None:
    """Write the settings of a request to its folder, if there are any."""
    if text is not None:
        (kept.on_disk() / work.SETTINGS).write_text(text, encoding="utf-8", errors="backslashreplace")


async def _settings_alone(request: Request, kept: Kept, text: str | None) -> None:
    """Store the settings of a request without data of its own, whose body is ``{"settings": {…}}``."""
    body = b"".join([piece async for piece in request.stream()])
    value: object = work.json_of(body) if body else {}
    if not isinstance(value, dict) or value.keys() - {"settings"}:
        raise Refusal("usage", "with data or an example, the body has settings alone", 'send {"settings": {…}}')
    # Settings in the address take precedence; they have been stored before.
    if text is None:
        _keep_settings(kept, json.dumps(value.get("settings", {})))


async def _body(request: Request, kept: Kept, name: str | None = None, *, may_be_in_memory: bool = False) -> None:
    """Write the body of a request to a file while it arrives; a small body may stay in memory."""
    head = b""
    pieces = request.stream()
    if may_be_in_memory:
        async for piece in pieces:
            head += piece
            if len(head) > _MAX_BODY_IN_MEMORY:
                may_be_in_memory = False
                break
    if may_be_in_memory:
        kept.files[kept.name] = head
        is_empty = not head
    else:
        with (kept.on_disk() / kept.name).open("wb") as stream:
            stream.write(head)
            async for piece in pieces:
                stream.write(piece)
            is_empty = not stream.tell()
    if is_empty and name:
        raise _empty(name)
    if is_empty:
        raise Refusal("invalid_input", "the request is empty", "send units or a file, or name data or an example")


def _empty(name: str) -> Refusal:
    """Return the refusal of an empty file, by its name."""
    return Refusal("invalid_input", "the file is empty", "choose a file with units", location={"file": name})


async def _form(request: Request, source: Kept, kept: Kept) -> None:
    """Write the files of a form to a folder. Several files are read as one folder of files."""
    async with request.form(max_files=_MAX_FILES, max_fields=8) as form:
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile) and value.filename]
        settings = form.get("settings")
        if isinstance(settings, str):
            _keep_settings(kept, settings)
        if not files:
            raise Refusal("invalid_input", "there is no file in the form", "send one as  file=@PATH")
        is_folder = len(files) > 1
        for file in files:
            name = str(file.filename)
            path = source.folder / FILES / safe_path(name) if is_folder else source.folder / safe_name(name)
            source.name_file(PurePath(name).name, path.name)
            # `safe_name` may return one name for several: no file may replace another.
            if path.exists():
                raise Refusal("invalid_input", f"two files are called {path.name!r}", "rename one of them")
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as stream:
                while piece := await file.read(_CHUNK):
                    stream.write(piece)
                if not is_folder and not stream.tell():
                    raise _empty(PurePath(name).name)
        source.name = FILES if is_folder else path.name
        if is_folder:
            folders = {str(file.filename).replace("\\", "/").rpartition("/")[0].partition("/")[0] for file in files}
            source.label = (min(folders) if len(folders) == 1 else "") or f"{len(files)} files"
