"""Command line: one module for each subcommand. This module catches Ctrl-C before other modules are imported.

`_subcommands` declares the arguments and the help of each. The result goes to stdout; progress, notes, warnings and
errors go to stderr.

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

_INTERRUPTED_CODE = 130
_INTERRUPTED_MESSAGE = "gamma-align: error: interrupted"


def main(argv: "Sequence[str] | None" = None, *, owns_process: bool = False) -> int:
    """Run the command line with these arguments, by default of the process, and return the exit code."""
    try:
        if owns_process:
            _leave_on_interrupt()
            import gc

            gc.disable()  # imports create no garbage, and collections take time
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # starting more threads takes a third of a small run
            os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # the others keep freed memory
        from gamma_align.apps.cli._program import parse

        arguments = parse(argv)  # prints help without what a run needs
        from gamma_align.apps.cli._run import run

        if not owns_process:
            return run(arguments)
        from gamma_align.measures.gamma.memory import keep_freed_memory

        keep_freed_memory()
        gc.freeze()  # modules stay to the end: no collection needs to look at them
        gc.set_threshold(50_000)  # objects; after each 700, the default, there is hardly any garbage
        gc.enable()
        return _run_interruptible(run, arguments)
    except SystemExit as stop:  # argparse has printed its message
        return int(stop.code or 0)
    except KeyboardInterrupt:
        print(_INTERRUPTED_MESSAGE, file=sys.stderr)
        return _INTERRUPTED_CODE


def program() -> int:
    """Run the command line of this process, and return the exit code."""
    return main(owns_process=True)


def _leave_on_interrupt() -> None:
    """Let Ctrl-C end the process at once: some compiled modules crash if an exception is raised during their import."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # nohup and some shells ignore the signal
        signal.signal(signal.SIGINT, _leave)
        sys.unraisablehook = _leave_if_interrupted


def _run_interruptible(run: "Callable[[Namespace], int]", arguments: "Namespace") -> int:
    """Run the subcommand. Ctrl-C raises an exception, which removes unfinished files and stops workers."""
    import signal

    if signal.getsignal(signal.SIGINT) is not _leave:
        return run(arguments)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = run(arguments)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second Ctrl-C prints nothing more
        raise
    signal.signal(signal.SIGINT, _leave)  # no caller catches an exception any more
    return code


def _leave(*_: object) -> None:
    """Print that the process was interrupted, and end it."""
    try:
        os.write(2, f"{_INTERRUPTED_MESSAGE}\n".encode())
    finally:
        os._exit(_INTERRUPTED_CODE)


def _leave_if_interrupted(unraisable: "sys.UnraisableHookArgs") -> None:
    """End the process if Ctrl-C came during a callback: Python prints and drops the exceptions of callbacks."""
    if unraisable.exc_type is KeyboardInterrupt:
        _leave()
    sys.__unraisablehook__(unraisable)
