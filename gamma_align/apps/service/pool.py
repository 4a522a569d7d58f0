"""Worker processes that can be stopped at any moment: a job that is cancelled or takes too long ends with its worker.

Workers are forked from a process that has imported all modules, so that a new one starts in a few hundredths of a
second. `work.processes` says why this is not the pool of measurements, nor one of another library.
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
from typing import TYPE_CHECKING

from gamma_align.apps.service.refusal import Refusal, refusal_of
from gamma_align.work import words_for_end

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

PRELOADED = ["gamma_align.apps.service.warm"]  # modules imported before workers are forked
_RESTART_SECONDS = 1.0  # the least time between two starts of a worker that ends at once
_RETIREMENT_SHARE = 8
"""A worker that used more than 1/8 of its memory is replaced, since a process does not return freed memory."""

_Message = tuple[str, object]
"""The kind of a message of a worker, and its content."""


def ignore(_kind: str, _value: object) -> None:
    """Listen to no message."""


@dataclass(eq=False)
class Call:
    """A function to call in a worker, with its arguments; `listen` receives every message.

    The messages are ("started", None), then the messages that the function reports, and last ("done", its value) or
    ("failed", a Refusal). If the worker is killed, ("queued", the reason) comes in between, then all of them again.
    `description` names in messages what the call works on.
    """

    function: Callable[..., object]
    arguments: Mapping[str, object]
    listen: Callable[[str, object], None]
    seconds: float
    description: str
    is_second_try: bool = field(default=False, init=False)
    _ended: bool = field(default=False, init=False)

    def pass_on(self, kind: str, value: object = None) -> None:
        """Pass a message to the listener, unless the call has ended."""
        if not self._ended:
            self._ended = kind in ("done", "failed")
            self.listen(kind, value)


class Pool:
    """A number of workers, and the queue of calls. All methods are called from one event loop.

    A call whose worker is killed, most often because memory runs out, is tried once more as soon as no other call runs,
    and no other call begins meanwhile, so that it gets all the memory there is.
    """

    def __init__(self, size: int, home: Path, memory: int) -> None:
        self._size = size
        self._home = home
        self._memory = memory
        self._waiting: deque[Call] = deque()
        self._second_tries: deque[Call] = deque()
        self._workers: list[_Worker] = []
        self._stopping = False

    @property
    def waiting(self) -> int:
        """The number of calls in the queue."""
        return len(self._waiting) + len(self._second_tries)

    @property
    def processes(self) -> list[int]:
        """The ids of the worker processes."""
        return [worker.process.pid or 0 for worker in self._workers]

    async def start(self) -> None:
        """Start the workers."""
        context = _context()
        loop = asyncio.get_running_loop()
        for _ in range(self._size):
            # The start of a process blocks, and the event loop must not.
            self._workers.append(
                await asyncio.to_thread(_Worker, context, (self._home, self._memory), loop, self._handle_message)
            )

    def submit(self, call: Call) -> None:
        """Call a function as soon as a worker is free."""
        self._waiting.append(call)
        self._begin_calls()

    def cancel(self, call: Call, reason: Refusal) -> None:
        """End a call and the worker that runs it."""
        for queue in (self._waiting, self._second_tries):
            # A call that runs is not in the queue any more.
            with contextlib.suppress(ValueError):
                queue.remove(call)
        for worker in self._workers:
            if worker.call is call:
                worker.kill()
        call.pass_on("failed", reason)

    async def stop(self) -> None:
        """End all workers; calls in the queue or running end with "stopping"."""
        self._stopping = True
        reason = Refusal("stopping", "the service is being stopped", "start it again")
        for call in [*self._waiting, *self._second_tries, *self._running_calls()]:
            self.cancel(call, reason)
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            await asyncio.to_thread(worker.process.join)

    def _running_calls(self) -> list[Call]:
        """Return the calls that workers are running."""
        return [worker.call for worker in self._workers if worker.call is not None]

    def _begin_calls(self) -> None:
        """Give calls from the queue to all free workers."""
        for worker in self._workers:
            queue = self._next_queue()
            # A call stays in the queue until a worker has accepted it.
            if queue and worker.is_free and worker.begin(queue[0], self._cancel_for_time):
                queue.popleft().pass_on("started")

    def _next_queue(self) -> deque[Call] | None:
        """Return the queue of the next call to begin; None if a second try waits for running calls, or runs."""
        running = self._running_calls()
        if self._second_tries:
            return None if running else self._second_tries
        return None if any(call.is_second_try for call in running) else self._waiting

    def _cancel_for_time(self, call: Call) -> None:
        """Cancel a call that took longer than its limit."""
        self.cancel(
            call,
            Refusal(
                "too_large",
                f"the work took more than {call.seconds:g} s",
                "choose documents, ask for less precision, or use the command line",
            ),
        )

    def _handle_message(self, worker: _Worker, message: _Message | None) -> None:
        """Handle a message of a worker; ``None`` if its process ended."""
        call = worker.call
        if message is None:
            worker.end()
            if call is not None:
                self._queue_again(call, worker.process.exitcode or 0)
            self._replace(worker)
        elif message[0] == "leaving":
            worker.retire()
        elif message[0] in ("done", "failed"):
            worker.end()
        if message is not None and call is not None and message[0] != "leaving":
            call.pass_on(*message)
        self._begin_calls()

    def _queue_again(self, call: Call, code: int) -> None:
        """Queue a call for its second try after its process has ended with an exit code; after that one, it fails."""
        cause = f"the worker process {words_for_end(code)} while it worked on {call.description}"
        if call.is_second_try:
            cause += ", also when it was tried again with no other job at work"
            cure = "send fewer documents or shorter ones, or run the service where there is more memory"
            call.pass_on("failed", Refusal("failed", cause, cure))
        else:
            call.is_second_try = True
            self._second_tries.append(call)
            call.pass_on("queued", f"{cause}; it is tried again when no other job runs")

    def _replace(self, worker: _Worker) -> None:
        """Start another worker. If this one ended as soon as it had started, wait before: the next one may end, too."""
        loop = asyncio.get_running_loop()
        if loop.time() - worker.start_time < _RESTART_SECONDS and not worker.has_worked:
            loop.call_later(_RESTART_SECONDS, self._replace, worker)
            return
        if self._stopping:
            return
        self._workers[self._workers.index(worker)] = worker.successor()
        self._begin_calls()


class _Worker:
    """A process, the thread that receives its messages, and its current call."""

    _number = itertools.count(1)

    def __init__(
        self,
        context: ForkServerContext | SpawnContext,
        settings: tuple[Path, int],
        loop: asyncio.AbstractEventLoop,
        listen: Callable[[_Worker, _Message | None], None],
    ) -> None:
        self._parameters = context, settings, loop, listen
        self._loop = loop
        self._listen = listen
        self._connection, worker_end = context.Pipe()
        name = f"gamma-align-worker-{next(self._number)}"
        self.process = context.Process(target=_work, args=(worker_end, *settings), name=name, daemon=True)
        self.process.start()
        # `recv` reports the end of the worker only if no other process holds this end of the pipe.
        worker_end.close()
        self.call: Call | None = None
        self.start_time = loop.time()
        self.has_worked = False
        self._timer: asyncio.TimerHandle | None = None
        self._is_alive = True
        threading.Thread(target=self._receive, name=name, daemon=True).start()

    @property
    def is_free(self) -> bool:
        """Whether the worker waits for a call."""
        return self.call is None and self._is_alive and self.process.is_alive()

    def begin(self, call: Call, timed_out: Callable[[Call], None]) -> bool:
        """Send a call, and return whether it was sent: the process may have ended just before."""
        try:
            self._connection.send((call.function, call.arguments))
        except OSError:
            self._is_alive = False
            return False
        self.call = call
        self.has_worked = True
        self._timer = self._loop.call_later(call.seconds, timed_out, call)
        return True

    def end(self) -> None:
        """End the current call."""
        self.call = None
        if self._timer is not None:
            self._timer.cancel()

    def retire(self) -> None:
        """Accept no more calls."""
        self._is_alive = False

    def kill(self) -> None:
        """Kill the process and its current call."""
        self.call = None
        self._is_alive = False
        self.process.kill()

    def successor(self) -> _Worker:
        """Return a new worker in the place of this one, which has ended."""
        self._connection.close()
        return _Worker(*self._parameters)

    def _receive(self) -> None:
        """Pass messages to the event loop until the process has ended."""
        message: _Message | None = ("", None)
        while message is not None:
            try:
                message = self._connection.recv()
            except (EOFError, OSError):
                message = None
                self.process.join()
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._listen, self, message)


def _context() -> ForkServerContext | SpawnContext:
    """Return the way to start processes: a fork server with modules loaded, or new processes on Windows."""
    # Windows cannot fork.
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def _work(connection: Connection, home: Path, memory: int) -> None:
    """Call the requested functions one after the other, until the parent process has ended."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no limits; a lower limit may be set
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the parent
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, args=(home,), daemon=True).start()
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  (open to the end of the process)
    while True:
        try:
            function, arguments = connection.recv()
        except (EOFError, OSError):
            return
        answer = _answer(function, arguments, connection)
        is_large = _peak_memory() > memory // _RETIREMENT_SHARE
        if is_large:
            # This message precedes the answer: else the pool could send the next call to a process that ends.
            connection.send(("leaving", None))
        connection.send(answer)
        if is_large:
            return


def _peak_memory() -> int:
    """Return the peak memory of this process in bytes; 0 if the system does not report it."""
    try:
        import resource
    except ImportError:
        return 0
    # macOS reports bytes, other systems KiB.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _answer(function: Callable[..., object], arguments: Mapping[str, object], connection: Connection) -> _Message:
    """Call a function, and return its last message."""
    try:
        return "done", function(lambda *message: connection.send(message), **arguments)
    except BaseException as error:  # noqa: BLE001  (a worker survives any error of a call)
        refusal = refusal_of(error)
        if refusal.code == "failed":
            refusal.detail = "".join(traceback.format_exception(error))
        return "failed", refusal


def _leave_with_parent(home: Path) -> None:
    """End this process if the parent ends, and delete the files of requests."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        remove_folder(home)
        # `sys.exit` would end this thread alone.
        os._exit(1)


def remove_folder(folder: Path) -> None:
    """Delete a folder into which another process may still write: rename it first, so that it is not found."""
    gone = folder.with_name(f"{folder.name}.gone")
    with contextlib.suppress(OSError):  # another worker renamed it before
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
