"""Command line: one module for each subcommand. This module catches signals before other modules are imported.

`_subcommands` declares the arguments and the help of each. The result goes to stdout; progress, notes, warnings and
errors go to stderr.

Exit codes
----------
0 fine · 1 ``--fail-under`` missed · 2 usage · 3 invalid input · 4 result not available ·
5 not proven optimal within the limit asked for · 6 documents with problems left out ·
7 not enough memory or disk space · 70 a bug of gamma-align · 130 interrupted (Ctrl-C) · 143 terminated (SIGTERM).
"""

import os
import signal
import sys

TYPE_CHECKING = False  # typing itself would be imported before Ctrl-C can be caught
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

__all__ = ["main", "program"]

_ENDINGS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
"""Signals that end the process in an orderly way, and the word for it in the message."""


class Terminated(KeyboardInterrupt):
    """SIGTERM was received, as batch systems, `docker stop` and `timeout` send it: the work ends as after Ctrl-C."""


def main(argv: "Sequence[str] | None" = None, *, owns_process: bool = False) -> int:
    """Run the command line with these arguments, by default of the process, and return the exit code."""
    try:
        if owns_process:
            _leave_on_signals()
            import gc

            gc.disable()  # imports create no garbage, and collections take time
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # starting more threads takes a third of a small run
            os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # the others keep freed memory
        from gamma_align.apps.cli._program import parse

        arguments = parse(argv)  # prints help without what a run needs
        from gamma_align.apps.cli._run import run

        if not owns_process:
            return run(arguments)
        from gamma_align.work import keep_freed_memory

        keep_freed_memory()
        gc.freeze()  # modules stay to the end: no collection needs to look at them
        gc.set_threshold(50_000)  # objects; after each 700, the default, there is hardly any garbage
        gc.enable()
        return _run_interruptible(run, arguments)
    except SystemExit as stop:  # argparse has printed its message
        return int(stop.code or 0)
    except KeyboardInterrupt as stop:
        number = signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT
        print(_ending_message(number), file=sys.stderr)
        return _exit_code(number)


def program() -> int:
    """Run the command line of this process, and return the exit code."""
    code = main(owns_process=True)
    if code in map(_exit_code, _ENDINGS):
        # The interpreter waits for threads, or ends them in the middle of a compiled function, which aborts.
        import atexit

        atexit._run_exitfuncs()  # noqa: SLF001  (what the interpreter does first)
        _flush_streams()
        os._exit(code)
    return code


def _flush_streams() -> None:
    """Flush both streams, if they are open."""
    import contextlib

    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def _exit_code(number: int) -> int:
    """Return the exit code after a signal, as shells report it."""
    return 128 + number


def _ending_message(number: int) -> str:
    """Return the message that a signal ended the process."""
    return f"gamma-align: error: {_ENDINGS[signal.Signals(number)]}"


def _leave_on_signals() -> None:
    """Let signals end the process at once: some compiled modules crash if an exception is raised during their import.

    Signals that are ignored stay so: nohup and some shells ignore them.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _leave)
    sys.unraisablehook = _leave_if_interrupted


def _run_interruptible(run: "Callable[[Namespace], int]", arguments: "Namespace") -> int:
    """Run the subcommand. Signals raise an exception, which removes unfinished files and stops workers."""
    handled = [number for number in _ENDINGS if signal.getsignal(number) is _leave]
    for number in handled:
        signal.signal(number, _raise_terminated if number == signal.SIGTERM else signal.default_int_handler)
    try:
        code = run(arguments)
    except KeyboardInterrupt:
        if signal.SIGINT in handled:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second Ctrl-C prints nothing more
        raise
    for number in handled:
        signal.signal(number, _leave)  # no caller catches an exception any more
    return code


def _raise_terminated(*_: object) -> None:
    """Raise an exception at the first SIGTERM, and ignore further ones, which would interrupt the end itself."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


def _leave(number: int, _: object = None) -> None:
    """Print that the process was ended by a signal, and end it."""
    try:
        os.write(2, f"{_ending_message(number)}\n".encode())
    finally:
        os._exit(_exit_code(number))


def _leave_if_interrupted(unraisable: "sys.UnraisableHookArgs") -> None:
    """End the process if a signal came during a callback: Python prints and drops the exceptions of callbacks."""
    if unraisable.exc_type is not None and issubclass(unraisable.exc_type, KeyboardInterrupt):
        _leave(signal.SIGTERM if issubclass(unraisable.exc_type, Terminated) else signal.SIGINT)
    sys.__unraisablehook__(unraisable)
