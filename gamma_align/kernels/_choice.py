"""Which kernels a process uses: compiled, or their plain twins."""

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
    return import_module({PLAIN: "gamma_align.kernels.plain", COMPILED: "gamma_align.kernels._native"}[kind])


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


class _Kernels:
    """The kernels in use. Which, is chosen when first asked for, so that a wrong setting is told like any other."""

    def __init__(self) -> None:
        self._kind = ""
        self._module: Any = None

    @property
    def kind(self) -> str:
        if not self._kind:
            self.use(_chosen())
        return self._kind

    def use(self, kind: str) -> None:
        self._module = _load(kind)
        self._kind = kind

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (a function of either kind)
        if not self._kind:
            self.use(_chosen())
        return getattr(self._module, name)


active = _Kernels()


def kind() -> str:
    """Return which kernels are in use: ``"compiled"`` or ``"python"``.

    Raises
    ------
    SettingsError
        If the environment variable asks for what is not there.
    """
    return active.kind


@contextmanager
def using(kind: str) -> Iterator[None]:
    """Use one kind of kernels inside a ``with`` block (for tests and benchmarks; not for several threads).

    Raises
    ------
    ImportError
        If the compiled kernels are not there.
    KeyError
        For another kind.
    """
    before = active.kind
    active.use(kind)
    try:
        yield
    finally:
        active.use(before)
