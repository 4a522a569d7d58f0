"""Worker processes that can be stopped at any moment: a job that is cancelled, or takes too long, ends with its worker.

Workers are forked from a process that has imported everything, so that a new one is there in a few hundredths of a
second; its memory goes with it. (`concurrent.futures` and loky cannot stop one worker without breaking the pool.)
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import os
import shutil
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamma_align.apps.service.refusal import Refusal, refusal_of

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

WARM = ["gamma_align.apps.service.warm"]
_SOON = 1.0
_ROOM = 8
"""A worker that has had more than this part of its memory gives it back by making way for a new one."""


@dataclass(eq=False)
class Call:
    """A function to be called in a worker, with its arguments and `report`; `listen` gets every message.

    Messages are ("started", None), those of the function, and at last ("done", its value) or ("failed", a Refusal).
    """

    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    listen: Callable[[str, Any], None]
    seconds: float
    _ended: bool = field(default=False, init=False)

    def tell(self, kind: str, value: Any = None) -> None:  # noqa: ANN401  (any message)
        """Pass a message on, unless the last one was."""
        if not self._ended:
            self._ended = kind in ("done", "failed")
            self.listen(kind, value)


class Pool:
    """A number of workers, and the calls that wait for one; to be used from one event loop."""

    def __init__(self, size: int, home: Path, memory: int) -> None:
        self._size, self._home, self._memory = size, home, memory
        self._waiting: deque[Call] = deque()
        self._workers: list[_Worker] = []
        self._stopping = False

    @property
    def waiting(self) -> int:
        """How many calls wait for a worker."""
        return len(self._waiting)

    @property
    def processes(self) -> list[int]:
        """The ids of the worker processes."""
        return [worker.process.pid or 0 for worker in self._workers]

    async def start(self) -> None:
        """Start the workers."""
        context = _context()
        loop = asyncio.get_running_loop()
        for _ in range(self._size):
            self._workers.append(
                await asyncio.to_thread(_Worker, context, (self._home, self._memory), loop, self._message)
            )

    def submit(self, call: Call) -> None:
        """Call the function as soon as a worker is free."""
        self._waiting.append(call)
        self._next()

    def cancel(self, call: Call, reason: Refusal) -> None:
        """End a call, with its worker where it has one."""
        with contextlib.suppress(ValueError):
            self._waiting.remove(call)
        for worker in self._workers:
            if worker.call is call:
                worker.kill()
        call.tell("failed", reason)

    async def stop(self) -> None:
        """End all workers; calls that wait or run end with "stopping"."""
        self._stopping = True
        reason = Refusal("stopping", "the service is being stopped", "start it again")
        for call in [*self._waiting, *(worker.call for worker in self._workers if worker.call is not None)]:
            self.cancel(call, reason)
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            await asyncio.to_thread(worker.process.join)

    def _next(self) -> None:
        for worker in self._workers:
            if self._waiting and worker.is_free and worker.begin(self._waiting[0], self._timed_out):
                self._waiting.popleft().tell("started")

    def _timed_out(self, call: Call) -> None:
        self.cancel(
            call,
            Refusal(
                "too_large",
                f"the work took more than {call.seconds:g} s",
                "choose documents, ask for less precision, or use the command line",
            ),
        )

    def _message(self, worker: _Worker, message: tuple[str, Any] | None) -> None:
        """Take a message of a worker, ``None`` for its end."""
        call = worker.call
        if message is None:
            if call is not None:
                call.tell("failed", Refusal("failed", "the worker of this job was ended", "send the request again"))
            worker.end()
            self._replace(worker)
        elif message[0] == "leaving":
            worker.retire()
        elif message[0] in ("done", "failed"):
            worker.end()
        if message is not None and call is not None and message[0] != "leaving":
            call.tell(*message)
        self._next()

    def _replace(self, worker: _Worker) -> None:
        """Start another worker; one that ended as soon as it began is waited for a while, lest it go on for ever."""
        loop = asyncio.get_running_loop()
        if loop.time() - worker.began < _SOON and not worker.has_worked:
            loop.call_later(_SOON, self._replace, worker)
            return
        if self._stopping:
            return
        self._workers[self._workers.index(worker)] = worker.successor()
        self._next()


class _Worker:
    """A process, the thread that listens to it, and the call it works on."""

    _number = itertools.count(1)

    def __init__(
        self,
        context: ForkServerContext | SpawnContext,
        place: tuple[Path, int],
        loop: asyncio.AbstractEventLoop,
        listen: Callable[[_Worker, tuple[str, Any] | None], None],
    ) -> None:
        self._made_from = context, place, loop, listen
        self._loop, self._listen = loop, listen
        self._connection, theirs = context.Pipe()
        name = f"gamma-align-worker-{next(self._number)}"
        self.process = context.Process(target=_work, args=(theirs, *place), name=name, daemon=True)
        self.process.start()
        theirs.close()
        self.call: Call | None = None
        self.began, self.has_worked = loop.time(), False
        self._timer: asyncio.TimerHandle | None = None
        self._is_alive = True
        threading.Thread(target=self._receive, name=name, daemon=True).start()

    @property
    def is_free(self) -> bool:
        """Whether it waits for a call."""
        return self.call is None and self._is_alive and self.process.is_alive()

    def begin(self, call: Call, timed_out: Callable[[Call], None]) -> bool:
        """Send the call, and say whether it could be: the process may have just ended."""
        try:
            self._connection.send((call.function, call.arguments))
        except OSError:
            self._is_alive = False
            return False
        self.call, self.has_worked = call, True
        self._timer = self._loop.call_later(call.seconds, timed_out, call)
        return True

    def end(self) -> None:
        """Be free again."""
        self.call = None
        if self._timer is not None:
            self._timer.cancel()

    def retire(self) -> None:
        """Take no more calls."""
        self._is_alive = False

    def kill(self) -> None:
        """End the process, and what it works on."""
        self.call, self._is_alive = None, False
        self.process.kill()

    def successor(self) -> _Worker:
        """Return a new worker for this one, which has ended."""
        self._connection.close()
        return _Worker(*self._made_from)

    def _receive(self) -> None:
        """Pass messages to the loop, until the process has ended."""
        message: tuple[str, Any] | None = ("", None)
        while message is not None:
            try:
                message = self._connection.recv()
            except (EOFError, OSError):
                message = None
                self.process.join()
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._listen, self, message)


def _context() -> ForkServerContext | SpawnContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(WARM)
    return context


def _work(connection: Connection, home: Path, memory: int) -> None:
    """Call what is asked for, one after the other, as long as the parent is there."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows; a lower limit is set already
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the parent
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, args=(home,), daemon=True).start()
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  (messages are results)
    while True:
        try:
            function, arguments = connection.recv()
        except (EOFError, OSError):
            return
        answer = _answer(function, arguments, connection)
        is_large = _largest() > memory // _ROOM
        if is_large:
            connection.send(("leaving", None))
        connection.send(answer)
        if is_large:
            return


def _largest() -> int:
    """Return how many bytes of memory the process has had at a time; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _answer(function: Callable[..., Any], arguments: Mapping[str, Any], connection: Connection) -> tuple[str, Any]:
    try:
        return "done", function(lambda *message: connection.send(message), **arguments)
    except BaseException as error:  # noqa: BLE001  (a worker outlives what it works on)
        refusal = refusal_of(error)
        if refusal.code == "failed":
            refusal.detail = "".join(traceback.format_exception(error))
        return "failed", refusal


def _leave_with_parent(home: Path) -> None:
    """End with the parent, however it ends, and take the files of requests along."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        take_away(home)
        os._exit(1)


def take_away(folder: Path) -> None:
    """Remove a folder into which somebody may still write, who is not to find it: under another name."""
    gone = folder.with_name(f"{folder.name}.gone")
    with contextlib.suppress(OSError):  # another worker was quicker
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
