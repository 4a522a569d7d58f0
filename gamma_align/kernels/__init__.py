"""The hot loops: compiled where the install found a C++ compiler, otherwise their plain Python/NumPy twins.

Every kernel takes and gives plain arrays, and both kinds give the same result, ties included. The environment
variable ``GAMMA_ALIGN_KERNELS`` set to ``python`` asks for the twins, to ``compiled`` for nothing but the compiled ones.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE = "GAMMA_ALIGN_KERNELS"
COMPILED, PLAIN = "compiled", "python"


def _load(kind: str) -> Any:  # noqa: ANN401  (a module: of ours, or compiled)
    if kind == PLAIN:
        return import_module("gamma_align.kernels.plain")
    return import_module("gamma_align.kernels._native")


def _chosen() -> str:
    asked = os.environ.get(VARIABLE, "")
    if asked not in {"", COMPILED, PLAIN}:
        raise SettingsError(f"{VARIABLE} must be {COMPILED!r} or {PLAIN!r}, not {asked!r}")
    if asked == PLAIN:
        return PLAIN
    try:
        _load(COMPILED)
    except ImportError as error:
        if asked == COMPILED:
            raise SettingsError(
                f"{VARIABLE}={COMPILED}, but there are no compiled kernels here: install gamma-align again where a C++ "
                f"compiler is at hand ({error})"
            ) from None
        return PLAIN
    return COMPILED


_kind = _chosen()
_kernels = _load(_kind)


def kind() -> str:
    """Return which kernels are in use: ``"compiled"`` or ``"python"``."""
    return _kind


@contextmanager
def using(kind: str) -> Iterator[None]:
    """Use one kind of kernels inside a ``with`` block (for tests and benchmarks; not for several threads).

    Raises
    ------
    ImportError
        If the compiled kernels are not there.
    """
    global _kind, _kernels  # noqa: PLW0603  (which kernels a process uses is one fact)
    before = _kind, _kernels
    _kind, _kernels = kind, _load(kind)
    try:
        yield
    finally:
        _kind, _kernels = before
