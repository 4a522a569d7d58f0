"""Functions that an earlier package calls and a later one provides, such as reading a path.

A measure takes a path wherever it takes a corpus, and imports no reader of files; an alignment has a picture, and
imports no drawing. Such a function is called by its purpose. `gamma_align/__init__.py`, above all packages, registers
who provides it, and the provider is imported at the first call.
"""

TYPE_CHECKING = False  # `import gamma_align` waits for this module, and importing typing takes longer than the rest
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_PROVIDERS: "dict[str, str]" = {}


def register(providers: "Mapping[str, str]") -> None:
    """Register functions, "gamma_align.module:function", by their purpose."""
    _PROVIDERS.update(providers)


def provided(purpose: str) -> "Any":  # noqa: ANN401  (callers state the type of the function)
    """Import and return the function that is registered for a purpose."""
    from importlib import import_module

    module, _, function = _PROVIDERS[purpose].partition(":")
    return getattr(import_module(module), function)
