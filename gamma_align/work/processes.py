"""Worker processes of this machine, which end with this process however it ends.

A worker is started with pipes alone: no named semaphore, no shared memory and no helper process that could be left.
On Linux the system kills it when this process ends, elsewhere its standard input is closed, which it notices at once.

The service has a pool of its own (`apps.service.pool`), since the two need opposite things of a worker. Here, tasks are
pulled from an iterator, several wait in each worker, and the worker is a fresh process that a script without a main
guard can start. There, one call at a time is reported on, limited in time and memory, and stopped with its worker,
which is forked from a process that has imported everything. pebble 5 stops a task with its worker, too, but its
processes are those of `multiprocessing` (the main script is imported again, a resource tracker runs beside them), they
report nothing before the result, and a task whose worker was killed fails with `ProcessExpired`: it is not tried once
more alone. loky cannot stop one worker without breaking the pool.
"""

from __future__ import annotations

import atexit
import os
import pickle
import queue
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, NamedTuple, TypeVar, cast

from gamma_align.errors import Cure, GammaAlignWarning, MissingExtraError, Set, WorkerError
from gamma_align.work.worker import Answer, read_message, write_message

if TYPE_CHECKING:
    import subprocess

Task = TypeVar("Task")
Result = TypeVar("Result")

_START = """import pickle, sys
try:
    sys.path[:], parent = pickle.load(sys.stdin.buffer)
except (EOFError, pickle.UnpicklingError):  # the process that started this one has ended
    sys.exit(1)
from gamma_align.work.worker import main
main(parent)
"""
"""The program of a worker. It finds the modules that this process finds, also if the program has changed `sys.path`."""
_TASKS_AHEAD = 2  # of each worker: the one it works on, and the one that follows without a pause
_IDLE_SECONDS = 60.0  # then workers end: a program that measures often waits .4 s for new ones once a minute
_WAIT_SECONDS = 1.0  # between two looks at signals: on Windows, Ctrl-C does not interrupt waiting for a queue
_SIGKILL = 9  # Windows has no such signal
_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class _Assignment(NamedTuple):
    """A pickled task, the words for what it works on, and whether a worker was killed at it before."""

    content: bytes
    description: str
    is_second_try: bool = False


class _Process:
    """A worker process, and the tasks that it was given: it works on the first one."""

    def __init__(self, listen: Callable[[_Process, bytes | None], None]) -> None:
        self.assignments: deque[_Assignment] = deque()
        self._process = _starter().submit(_start).result()
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        threading.Thread(target=self._receive, args=(listen,), daemon=True).start()

    def send(self, assignment: _Assignment) -> None:
        """Give the worker a task."""
        self.assignments.append(assignment)
        with suppress(OSError):  # the worker has ended, which `_receive` reports
            write_message(self._stdin, assignment.content)

    def end(self) -> int:
        """Kill the process, and return its exit code: the number of the signal, below 0, if it had been killed."""
        self._process.kill()
        for stream in (self._stdin, self._stdout):
            with suppress(OSError):
                stream.close()
        return self._process.wait()

    def exit_code(self) -> int:
        """Wait for the end of a process that has closed its output, and return its exit code."""
        code = self._process.wait()
        self.end()
        return code

    def _receive(self, listen: Callable[[_Process, bytes | None], None]) -> None:
        """Pass on each message, and None at the end of the process."""
        message: bytes | None = b""
        while message is not None:
            try:
                message = read_message(self._stdout)
            except (OSError, ValueError):  # the pipe is closed
                message = None
            listen(self, message)


class Pool:
    """A number of worker processes, which compute the tasks of one call at a time."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._messages: queue.SimpleQueue[tuple[_Process, bytes | None]] = queue.SimpleQueue()
        self._processes: list[_Process] = []
        self._waiting: Iterator[_Assignment] = iter(())
        # Tasks of workers that have ended: some were only waiting, others are tried a second time.
        self._returned: deque[_Assignment] = deque()
        self._second_tries: deque[_Assignment] = deque()
        _pools.add(self)

    def results(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], describe: Callable[[Task], str]
    ) -> Iterator[Result]:
        """Yield the function's result for each task, in any order.

        A task whose worker is killed is tried once more, at the end and by one worker alone, so that it gets all the
        memory there is. From then on the pool has a worker less.
        """
        self._waiting = (_Assignment(_pickled((function, task)), describe(task)) for task in tasks)
        while True:
            self._assign()
            if not any(process.assignments for process in self._processes):
                return
            process, message = self._next_message()
            if message is None:
                self._remove(process)
                continue
            process.assignments.popleft()
            answer: Answer = pickle.loads(message)  # noqa: S301  (a worker has pickled it)
            if answer.error is not None:
                raise answer.error
            yield answer.value  # type: ignore[misc]  # the function's result

    def end(self) -> None:
        """End all workers."""
        _pools.discard(self)
        while self._processes:
            self._processes.pop().end()

    def _assign(self) -> None:
        """Give tasks to all workers that take more; second tries only if nothing else is to be done."""
        for n_tasks in range(_TASKS_AHEAD):
            for index in range(self.size):
                if index < len(self._processes) and len(self._processes[index].assignments) > n_tasks:
                    continue
                assignment = self._returned.popleft() if self._returned else next(self._waiting, None)
                if assignment is None:
                    break
                self._process(index).send(assignment)
        if self._second_tries and not any(process.assignments for process in self._processes):
            self._process(0).send(self._second_tries.popleft())

    def _process(self, index: int) -> _Process:
        """Return a worker, which is started if it does not exist."""
        if index >= len(self._processes):
            self._processes.append(_Process(lambda process, message: self._messages.put((process, message))))
        return self._processes[index]

    def _next_message(self) -> tuple[_Process, bytes | None]:
        """Return the next message of a worker, and the worker; the message is None if the worker has ended."""
        while True:
            with suppress(queue.Empty):
                process, message = self._messages.get(timeout=_WAIT_SECONDS)
                if process in self._processes:
                    return process, message

    def _remove(self, process: _Process) -> None:
        """Remove a worker that has ended, and put its tasks back; an error if it worked on a second try."""
        self._processes.remove(process)
        code = process.exit_code()
        if not process.assignments:
            return
        suspect, *later_assignments = process.assignments
        self._returned.extend(later_assignments)
        if suspect.is_second_try:
            raise _worker_error(suspect.description, code)
        self.size = max(self.size - 1, 1)
        self._second_tries.append(suspect._replace(is_second_try=True))
        warnings.warn(GammaAlignWarning(_warning_text(suspect.description, code)), stacklevel=2)


_pools: set[Pool] = set()
_idle: list[tuple[Pool, threading.Timer]] = []
_lock = threading.Lock()
_starters: list[ThreadPoolExecutor] = []


@contextmanager
def borrowed(size: int) -> Iterator[Pool]:
    """Yield a pool of this size, which may have been used before; after an error its workers are ended."""
    pool = _take(size) or Pool(size)
    try:
        yield pool
    except BaseException:
        pool.end()
        raise
    if pool.size == size:
        _keep(pool)
    else:
        pool.end()


def _take(size: int) -> Pool | None:
    """Return an idle pool of this size, and end the others."""
    idle_pool = None
    with _lock:
        while _idle:
            pool, timer = _idle.pop()
            timer.cancel()
            if pool.size == size and idle_pool is None:
                idle_pool = pool
            else:
                pool.end()
    return idle_pool


def _keep(pool: Pool) -> None:
    """Keep an idle pool for the next call, for a limited time."""
    timer = threading.Timer(_IDLE_SECONDS, _end_if_idle, (pool,))
    timer.daemon = True
    with _lock:
        _idle.append((pool, timer))
    timer.start()


def _end_if_idle(pool: Pool) -> None:
    """End a pool, unless a call has taken it since it was kept."""
    with _lock:
        other_entries = [entry for entry in _idle if entry[0] is not pool]
        is_idle = len(other_entries) < len(_idle)
        _idle[:] = other_entries
    if is_idle:
        pool.end()


@atexit.register
def _end_all() -> None:
    """End all pools when this process ends."""
    for pool in [*_pools]:
        pool.end()


def _forget() -> None:
    """Forget the workers in a process that was forked: they belong to its parent."""
    global _lock  # noqa: PLW0603  (another thread of the parent may hold the old one for ever)
    _lock = threading.Lock()
    _pools.clear()
    _idle.clear()
    _starters.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _starter() -> ThreadPoolExecutor:
    """Return the thread that starts all workers.

    Linux kills a worker when the *thread* that started it ends, so this one lasts as long as the process. It blocks
    Ctrl-C, and so do the workers until they ignore it: otherwise each would print a traceback.
    """
    with _lock:
        if not _starters:
            _starters.append(ThreadPoolExecutor(1, "gamma-align-starter", _block_interrupts))
        return _starters[0]


def _block_interrupts() -> None:
    """Block Ctrl-C in the thread that starts workers."""
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _start() -> subprocess.Popen[bytes]:
    """Start a worker."""
    import subprocess  # most commands start no worker

    process = subprocess.Popen(  # noqa: S603  (this Python, and a program that is a constant)
        [sys.executable, "-P", "-c", _START],  # -P: a file in the current folder must not hide a module
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Workers share the processors; each needs one thread.
        env={**dict.fromkeys(_THREAD_VARIABLES, "1"), **os.environ},
    )
    stdin = cast("IO[bytes]", process.stdin)
    with suppress(OSError):  # it has ended, which `_receive` reports
        stdin.write(pickle.dumps((sys.path, os.getpid())))
        stdin.flush()
    return process


def _pickled(call: tuple[Callable[[Task], Result], Task]) -> bytes:
    """Return a function and its argument, pickled for another process.

    Classes of the main program are included by cloudpickle; MissingExtraError if it is needed and not installed.
    """
    try:
        import cloudpickle
    except ImportError:
        content = pickle.dumps(call, pickle.HIGHEST_PROTOCOL)
        if b"__main__" in content:
            purpose = "a class of the program itself in several processes"
            raise MissingExtraError("cloudpickle", "parallel", purpose) from None
        return content
    pickled: bytes = cloudpickle.dumps(call, pickle.HIGHEST_PROTOCOL)
    return pickled


def words_for_end(code: int) -> str:
    """Return a clause for how a process ended, from its exit code, with the likely reason if the system killed it."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"was killed by {name}{' (the system does this if memory runs out)' if code == -_SIGKILL else ''}"


def _warning_text(description: str, code: int) -> str:
    """Return the warning that a task is tried again, with the reason."""
    return (
        f"a worker process {words_for_end(code)} while it worked on {description}; its work is done "
        "again, with one worker less"
    )


def _worker_error(description: str, code: int) -> WorkerError:
    """Return the error that a worker was killed twice at a task."""
    return WorkerError(
        f"a worker process {words_for_end(code)} while it worked on {description}, also when it was "
        "tried again with no other worker at work",
        Cure(
            "give the work more memory, leave out these documents or cut them into shorter ones, or work without "
            "worker processes ({})",
            Set("n_jobs", 1),
        ),
    )
