"""Tests with both kinds of kernels: compiled, where the install has them, and plain."""

from __future__ import annotations

import pytest

from gamma_align import kernels


def _has_compiled():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(kernels.VARIABLE, raising=False)
        return kernels._requested_kind() == kernels.COMPILED


COMPILED_HERE = _has_compiled()


needs_compiled = pytest.mark.skipif(not COMPILED_HERE, reason="installed without compiled kernels")


HERE = [kernels.COMPILED, kernels.PLAIN] if COMPILED_HERE else [kernels.PLAIN]


KINDS = [pytest.param(kernels.COMPILED, marks=needs_compiled), kernels.PLAIN]


by_each_kind = pytest.mark.usefixtures("each_kind")


def by_both(kernel, *arrays):
    """Return what the compiled kernel gives, after its twin gave the same bits."""
    found = {}
    for name in (kernels.COMPILED, kernels.PLAIN):
        with kernels.using(name):
            found[name] = kernel(*arrays)
    for one, other in zip(found[kernels.COMPILED], found[kernels.PLAIN], strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
    return found[kernels.COMPILED]
