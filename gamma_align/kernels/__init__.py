"""The inner loops: compiled where the installation found a C++ compiler, otherwise their twins in Python and NumPy.

Every kernel takes and returns plain arrays, and both kinds return the same bits, ties included. What each does is
documented once, with its twin in `gamma_align.kernels.plain`. The environment variable ``GAMMA_ALIGN_KERNELS`` set to
``python`` asks for the twins; set to ``compiled``, it makes it an error if there are no compiled ones.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VARIABLE = "GAMMA_ALIGN_KERNELS"
COMPILED, PLAIN = "compiled", "python"
_MODULES = {PLAIN: "gamma_align.kernels.plain", COMPILED: "gamma_align.kernels._native"}


def _chosen() -> str:
    """Return which kernels the environment asks for, or else the compiled ones where there are any."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in {"", COMPILED, PLAIN}:
        raise SettingsError(f"{VARIABLE} must be {COMPILED!r} or {PLAIN!r}, not {wanted!r}")
    if wanted == PLAIN:
        return PLAIN
    try:
        import_module(_MODULES[COMPILED])
    except ImportError as error:
        if wanted == COMPILED:
            raise SettingsError(
                f"{VARIABLE}={COMPILED}, but there are no compiled kernels here: install gamma-align again where a C++ "
                f"compiler is at hand ({error})"
            ) from None
        return PLAIN
    return COMPILED


_in_use: list[str] = []  # chosen at the first call, so that a wrong setting is reported like any other error


def kind() -> str:
    """Return which kernels are in use: ``"compiled"`` or ``"python"``."""
    if not _in_use:
        _in_use.append(_chosen())
    return _in_use[-1]


@contextmanager
def using(kind: str) -> Iterator[None]:
    """Use one kind of kernels inside a ``with`` block (for tests and benchmarks; not for several threads)."""
    import_module(_MODULES[kind])
    _in_use.append(kind)
    try:
        yield
    finally:
        _in_use.pop()


def _kernel(name: str) -> Callable[..., Any]:
    """Return a function that calls the kernel of this name, of the kind in use at the time of the call."""

    def call(*arguments: Any) -> Any:  # noqa: ANN401  (those of the twin)
        return getattr(import_module(_MODULES[kind()]), name)(*arguments)

    return call


__all__ = [
    "ascend",
    "canonical_order",
    "choose",
    "linked",
    "match",
    "philox",
    "price",
    "rematch",
    "shift_overlaps",
    "soften",
    "stream_keys",
    "sweep",
    "useful",
]

if TYPE_CHECKING:
    from gamma_align.kernels.plain import (
        ascend,
        canonical_order,
        choose,
        linked,
        match,
        philox,
        price,
        rematch,
        shift_overlaps,
        soften,
        stream_keys,
        sweep,
        useful,
    )
else:  # without NumPy, which the twins import: `gamma-align --version` asks which kernels there are
    globals().update({name: _kernel(name) for name in __all__})
