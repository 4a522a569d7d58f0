"""Tests with both kinds of kernels: compiled, if they are installed, and plain."""

from __future__ import annotations

import pytest

from gamma_align import kernels


def _has_compiled():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(kernels.VARIABLE, raising=False)
        return kernels._requested_kind() == kernels.COMPILED


COMPILED_HERE = _has_compiled()


needs_compiled = pytest.mark.skipif(not COMPILED_HERE, reason="installed without compiled kernels")


KINDS = [pytest.param(kernels.COMPILED, marks=needs_compiled), kernels.PLAIN]


by_each_kind = pytest.mark.usefixtures("each_kind")


def by_both(kernel, *arrays):
    """Return the result of the compiled kernel, and check that the plain one returns the same bits."""
    results = {}
    for name in (kernels.COMPILED, kernels.PLAIN):
        with kernels.using(name):
            results[name] = kernel(*arrays)
    for compiled, plain in zip(results[kernels.COMPILED], results[kernels.PLAIN], strict=True):
        assert compiled.dtype == plain.dtype
        assert compiled.tobytes() == plain.tobytes()
    return results[kernels.COMPILED]
