"""The inner loops: compiled kernels, or plain ones in Python and NumPy if the installation had no C++ compiler.

Every kernel takes and returns plain arrays. The compiled and the plain kernel of one name return the same bits, ties
included; the plain one in `gamma_align.kernels.plain` documents both. One kernel is compiled only: `align_shifted`
(src/shifted.hpp), in place of which `gamma_align.alignment` aligns the same samples.

The environment variable ``GAMMA_ALIGN_KERNELS`` selects the plain kernels if it is ``python``. If it is ``compiled``,
missing compiled kernels are an error.
"""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING
from zipimport import zipimporter

from gamma_align.errors import GammaAlignWarning, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VARIABLE = "GAMMA_ALIGN_KERNELS"  # of the environment
# values of the variable
COMPILED = "compiled"
PLAIN = "python"
# Imported by name, so that only the kernels in use are loaded.
_MODULES = {PLAIN: "gamma_align.kernels.plain", COMPILED: "gamma_align.kernels._native"}


def _requested_kind() -> str:
    """Return the kind that the environment requests; by default the compiled kernels if they are installed."""
    requested = os.environ.get(VARIABLE, "")
    if requested not in {"", COMPILED, PLAIN}:
        raise SettingsError(f"{VARIABLE} must be {COMPILED!r} or {PLAIN!r}, not {requested!r}")
    if requested == PLAIN:
        return PLAIN
    loader = __spec__.loader
    if isinstance(loader, zipimporter):
        from pathlib import Path  # which other runs import later, if at all

        # Compiled modules cannot be imported from an archive: they are in the same folders beside it.
        __path__.append(str(Path(loader.archive).parent.joinpath(*__name__.split("."))))
    try:
        import_module(_MODULES[COMPILED])
    except ImportError as error:
        if requested == COMPILED:
            raise SettingsError(
                f"{VARIABLE}={COMPILED}, but the compiled kernels are not installed ({error})",
                "install a C++17 compiler, then reinstall gamma-align",
            ) from None
        _warn_of_hidden_kernels()
        return PLAIN
    return COMPILED


def _warn_of_hidden_kernels() -> None:
    """Warn if there are compiled kernels in an installation that these sources hide: Python started in a checkout."""
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path

    here = Path(__file__).parent
    try:
        installed = Path(str(distribution("gamma-align").locate_file("gamma_align/kernels")))
    except PackageNotFoundError:
        return
    # The folder of an editable installation has the compiled kernels alone.
    if installed != here and (installed / "__init__.py").exists() and any(installed.glob("_native*")):
        warnings.warn(
            f"gamma_align comes from the sources in {here.parent.parent}, without the compiled kernels of its "
            "installation, and takes about ten times as long: start Python in another folder",
            GammaAlignWarning,
            stacklevel=2,
        )


# The last entry is in use; `using` adds another one. It is empty until the first call, so that a wrong value of the
# variable is reported like any other error.
_kinds: list[str] = []


def kind() -> str:
    """Return the kind of kernels in use: ``"compiled"`` or ``"python"``."""
    if not _kinds:
        _kinds.append(_requested_kind())
    return _kinds[-1]


@contextmanager
def using(kind: str) -> Iterator[None]:
    """Use one kind of kernels inside a ``with`` block, in tests and benchmarks; not safe with several threads."""
    import_module(_MODULES[kind])
    _kinds.append(kind)
    try:
        yield
    finally:
        _kinds.pop()


@cache  # to look up a module by name takes as long as a small kernel
def _module(kind: str) -> object:
    """Return the module with the kernels of a kind."""
    return import_module(_MODULES[kind])


def _kernel(name: str) -> Callable[..., object]:
    """Return a function that calls the kernel of this name, of the kind in use at the time of the call."""

    def call(*arguments: object) -> object:
        return getattr(_module(kind()), name)(*arguments)

    return call


__all__ = [
    "align_shifted",
    "canonical_order",
    "choose",
    "count_near",
    "gaining",
    "linked",
    "match",
    "philox",
    "price",
    "rematch",
    "shift_overlaps",
    "soften",
    "stream_keys",
    "sweep",
    "turn_averages",
    "useful",
]

if TYPE_CHECKING:
    from gamma_align.kernels._native import align_shifted
    from gamma_align.kernels.plain import (
        canonical_order,
        choose,
        count_near,
        gaining,
        linked,
        match,
        philox,
        price,
        rematch,
        shift_overlaps,
        soften,
        stream_keys,
        sweep,
        turn_averages,
        useful,
    )
else:  # the kernels are imported at the first call, so that `gamma-align --version` does not import NumPy
    globals().update({name: _kernel(name) for name in __all__})
