"""Results as data frames of any library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gamma_align.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping


def frame_of(columns: Mapping[str, list[Any]], backend: Any) -> Any:  # noqa: ANN401  (the backend's own frame)
    """Return columns as a data frame.

    Raises
    ------
    MissingExtraError
        Without narwhals.
    """
    try:
        import narwhals as nw  # noqa: PLC0415  (an optional package)
    except ImportError:
        raise MissingExtraError("narwhals", "frames", "a data frame of the result") from None
    return nw.from_dict(dict(columns), backend=backend).to_native()
