"""Fuzzing that looks which branches of the readers a file takes, by atheris, over all formats.

The first byte of an input chooses the format, the second the settings, the rest is the file. See README.md beside.
"""

from __future__ import annotations

import random
import sys
import tempfile
import warnings
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "helpers"))

with atheris.instrument_imports(include=["gamma_align"]):
    import fuzzing

    from gamma_align.reading import formats

    NAMES = sorted(formats.formats())  # imports them all, to be looked into

SETTINGS = [
    {},
    {"layers": "*", "outside": "extend", "mismatch": "keep"},
    {"layers": "*", "annotator": "{layer}", "outside": "extend", "mismatch": "keep"},
    {"layers": "*", "discontinuous": "parts", "offsets": "utf-16", "outside": "extend"},
    {"positions": "tokens", "align_text": True, "mismatch": "keep"},
]


def seeds(folder: Path) -> None:
    """Write the samples as inputs."""
    folder.mkdir(parents=True, exist_ok=True)
    small = fuzzing.made(folder.with_name(f"{folder.name}-made"))
    for name, paths in fuzzing.samples().items():
        for at, path in enumerate([*paths, *small.get(name, [])]):
            data = path.read_bytes()
            if len(data) < 20_000:
                (folder / f"{name}-{at}").write_bytes(bytes([NAMES.index(name), at % len(SETTINGS)]) + data)


def mutator(data: bytes, longest: int, seed: int) -> bytes:
    """Change an input as `fuzzing` does, or as libFuzzer does."""
    rng = random.Random(seed)  # noqa: S311
    if rng.random() < 0.3 or len(data) < 3:
        return atheris.Mutate(data, longest)
    return (data[:2] + fuzzing.mutated(data[2:], rng, []))[:longest]


def main() -> None:
    if sys.argv[1:2] == ["--seeds"]:
        seeds(Path(sys.argv[2]))
        return
    warnings.simplefilter("error")
    folder = tempfile.TemporaryDirectory()  # removed with the process

    def one(data: bytes) -> None:
        if len(data) < 2:
            return
        fmt = formats.formats()[NAMES[data[0] % len(NAMES)]]
        path = Path(folder.name) / f"any{fmt.suffixes[0]}"
        path.write_bytes(data[2:])
        found = fuzzing.reads_or_refuses(path, format=fmt.name, **SETTINGS[data[1] % len(SETTINGS)])
        if isinstance(found, fuzzing.ga.Corpus):
            fuzzing.writes_or_refuses(found)

    atheris.Setup(sys.argv, one, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
