"""A worker process: it computes one task after the other, and ends with the process that started it.

Tasks come in at standard input, and results go out where standard output was, each with its length before it.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import queue
import signal
import struct
import sys
import threading
import traceback
from typing import IO, NamedTuple

from gamma_align.errors import GammaAlignError
from gamma_align.work.memory import keep_freed_memory

_LENGTH_HEADER = struct.Struct("<Q")  # bytes of the message that follows it
_PR_SET_PDEATHSIG = 1  # prctl(2) of Linux


class Answer(NamedTuple):
    """The result of a task, or the exception that it raised."""

    value: object = None
    error: BaseException | None = None


def write_message(stream: IO[bytes], content: bytes) -> None:
    """Write a message: its length, then its content."""
    stream.write(_LENGTH_HEADER.pack(len(content)))
    stream.write(content)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes | None:
    """Return the content of the next message; None if the other end was closed."""
    head = stream.read(_LENGTH_HEADER.size)
    if len(head) < _LENGTH_HEADER.size:
        return None
    (length,) = _LENGTH_HEADER.unpack(head)
    content = stream.read(length)
    return content if len(content) == length else None


def main(parent: int) -> None:
    """Answer tasks until the process with the id `parent`, which started this one, has ended."""
    _end_with(parent)
    _open_stderr()
    tasks = sys.stdin.buffer
    results = os.fdopen(os.dup(1), "wb")
    # What a library prints must not get between the results.
    os.dup2(2, 1)
    # Ctrl-C in a terminal reaches all processes of the command: the parent ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_freed_memory()
    received: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(tasks, received), daemon=True).start()
    while True:
        answer = _answer(received.get())
        try:
            write_message(results, answer)
        except OSError:  # the parent has ended
            os._exit(1)


def _open_stderr() -> None:
    """Open standard error if the command runs without one (``2>&-``): its number must not become another file's."""
    try:
        os.fstat(2)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _end_with(parent: int) -> None:
    """Make Linux kill this process when the parent ends; other systems close standard input, which `_receive` reads."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before
            os._exit(1)


def _receive(stream: IO[bytes], received: queue.SimpleQueue[bytes]) -> None:
    """Receive tasks while another thread computes; end the process if no more can come."""
    while (message := read_message(stream)) is not None:
        received.put(message)
    os._exit(0)


def _answer(task: bytes) -> bytes:
    """Return the pickled answer to a pickled function and its argument."""
    try:
        function, argument = pickle.loads(task)  # noqa: S301  (the parent process has pickled it)
        return pickle.dumps(Answer(function(argument)), pickle.HIGHEST_PROTOCOL)
    except BaseException as error:  # noqa: BLE001  (the parent raises any error of a task)
        if not isinstance(error, GammaAlignError):
            error.add_note("".join(traceback.format_exception(error)))
        return _pickled(error)


def _pickled(error: BaseException) -> bytes:
    """Return a pickled error, or, if it cannot be pickled, an error with its traceback as the message."""
    try:
        content = pickle.dumps(Answer(error=error))
        pickle.loads(content)  # noqa: S301  (an exception whose class takes other arguments cannot be read)
    except Exception:  # noqa: BLE001
        return pickle.dumps(Answer(error=RuntimeError("".join(traceback.format_exception(error)))))
    return content
