"""Command line: a subcommand a module, and here what catches Ctrl-C before anything else is imported.

`_subcommands` has what each takes, and its help. stdout carries the result alone; progress, notes, warnings and errors
go to stderr.

Exit codes
----------
0 fine · 1 ``--fail-under`` missed · 2 usage · 3 invalid input · 4 result not available ·
5 not proven optimal within the limit asked for · 6 documents with problems left out ·
70 a bug of gamma-align · 130 interrupted.
"""

import os
import sys

TYPE_CHECKING = False  # typing itself would be imported before Ctrl-C can be caught
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

__all__ = ["main", "program"]

_INTERRUPTED = 130
_MESSAGE = "gamma-align: error: interrupted"


def main(argv: "Sequence[str] | None" = None, *, owns_process: bool = False) -> int:
    """Run the command line, with these arguments or those of the process, and return its exit code."""
    try:
        if owns_process:
            _leave_on_interrupt()
            import gc

            gc.disable()  # nothing to collect among imports, and to look takes time
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # starting the others takes a third of a small run
            os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # others keep what is given back
        from gamma_align.apps.cli._program import parse, run

        arguments = parse(argv)
        if not owns_process:
            return run(arguments)
        from gamma_align.measures.gamma.memory import keep_freed_memory

        keep_freed_memory()
        gc.freeze()  # what is imported stays: not to be looked at again, neither in the run nor at its end
        gc.set_threshold(50_000)  # new objects; after every 700, the default, it finds next to nothing to collect
        gc.enable()
        return _run_interruptible(run, arguments)
    except SystemExit as stop:  # argparse has printed what there is to print
        return int(stop.code or 0)
    except KeyboardInterrupt:
        print(_MESSAGE, file=sys.stderr)
        return _INTERRUPTED


def program() -> int:
    """Run the command line as the process that it is, and return its exit code."""
    return main(owns_process=True)


def _leave_on_interrupt() -> None:
    """Let Ctrl-C end the process at once: some compiled modules crash of an exception while they are imported."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else nohup or a shell has it ignored
        signal.signal(signal.SIGINT, _leave)
        sys.unraisablehook = _leave_if_interrupted


def _run_interruptible(run: "Callable[[Namespace], int]", arguments: "Namespace") -> int:
    """Run the subcommand, which Ctrl-C ends by an exception: files may be half written, and workers be at work."""
    import signal

    if signal.getsignal(signal.SIGINT) is not _leave:
        return run(arguments)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = run(arguments)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # what follows is said already
        raise
    signal.signal(signal.SIGINT, _leave)  # nobody is left to catch an exception
    return code


def _leave(*_: object) -> None:
    """Say that the process was interrupted, and end it."""
    try:
        os.write(2, f"{_MESSAGE}\n".encode())
    finally:
        os._exit(_INTERRUPTED)


def _leave_if_interrupted(lost: "sys.UnraisableHookArgs") -> None:
    """End the process where Ctrl-C came in a callback, whose exceptions Python prints and forgets."""
    if lost.exc_type is KeyboardInterrupt:
        _leave()
    sys.__unraisablehook__(lost)
