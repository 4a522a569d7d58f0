"""Folders of work that a faulty disk, or somebody who copies files by hand, has damaged."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence
    from pathlib import Path

KINDS = ("observed", "aligned", "controls")  # of pieces
_MAX_DAMAGES = 5  # of one folder


def pieces(folder: Path, kind: str = "*") -> list[Path]:
    """Return the pieces of a folder, also those under a wrong name."""
    return sorted(folder.glob(f"*-{kind}-*.npz"))


def damage(folder: Path, others: Sequence[Path], draw: random.Random) -> list[str]:
    """Damage a folder of work in one to five ways, and return the names of the ways.

    `others` are folders of other work, with another seed or on other data.
    """
    names = draw.choices([*DAMAGES], k=draw.randint(1, _MAX_DAMAGES))
    for name in names:
        DAMAGES[name](folder, others, draw)
    return names


def _file(folder: Path, draw: random.Random) -> Path:
    """Return a file of the folder at random: a piece, or one time in five the manifest or the lock."""
    names = ("manifest.json", "lock")
    rest = [path for name in names if (path := folder / name).is_file()]
    files = [path for path in pieces(folder) if path.is_file()]
    candidates = rest if rest and (not files or draw.random() < 0.2) else files
    return draw.choice(candidates) if candidates else _new_file(folder)


def _new_file(folder: Path) -> Path:
    path = folder / "lock"
    path.touch()
    return path


def _name(draw: random.Random) -> str:
    """Return the name of a piece of any part and kind."""
    return f"{draw.randrange(4):06}-{draw.choice(KINDS)}-{draw.getrandbits(64):016x}.npz"


def _flip(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    path = _file(folder, draw)
    content = bytearray(path.read_bytes() or b"0")
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def _truncate(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    path = _file(folder, draw)
    content = path.read_bytes()
    path.write_bytes(content[: draw.randrange(len(content) + 1)])


def _append(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    with _file(folder, draw).open("ab") as file:
        file.write(draw.randbytes(draw.randint(1, 99)))


def _zero(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    """Overwrite a block with zeros, as a crash of the system leaves a file."""
    path = _file(folder, draw)
    content = path.read_bytes()
    begin = draw.randrange(len(content) + 1)
    path.write_bytes(content[:begin] + bytes(len(content) - begin))


def _delete(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    _file(folder, draw).unlink()


def _copy(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    shutil.copy(_file(folder, draw), folder / _name(draw))


def _copy_to_part(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    """Copy a piece under its name in another part or of another kind."""
    path = _file(folder, draw)
    name = f"{draw.randrange(4):06}-{draw.choice(KINDS)}-{path.stem.rpartition('-')[2]}.npz"
    (folder / name).write_bytes(path.read_bytes())  # the name may be its own


def _sync(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    """Copy a file under the name that a file manager gives the copy."""
    path = _file(folder, draw)
    shutil.copy(path, path.with_name(f"{path.stem} (1){path.suffix}"))


def _rename(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    _file(folder, draw).replace(folder / _name(draw))


def _exchange(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    first, second = (_file(folder, draw) for _ in range(2))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)


def _foreign(folder: Path, others: Sequence[Path], draw: random.Random) -> None:
    """Copy a piece of other work into the folder."""
    shutil.copy(draw.choice(pieces(draw.choice(others))), folder)


def _foreign_content(folder: Path, others: Sequence[Path], draw: random.Random) -> None:
    """Copy a file of other work over one of the same kind."""
    path = _file(folder, draw)
    other = draw.choice(others)
    kind = path.stem.split("-")[1] if path.suffix == ".npz" else ""
    same_kind = pieces(other, kind) if kind in KINDS else [other / "manifest.json"]
    shutil.copy(draw.choice(same_kind or pieces(other)), path)


def _folder_for_a_piece(folder: Path, _: Sequence[Path], draw: random.Random) -> None:
    (folder / _name(draw)).mkdir(exist_ok=True)


DAMAGES: dict[str, Callable[[Path, Sequence[Path], random.Random], None]] = {
    "one bit flipped": _flip,
    "truncated": _truncate,
    "bytes appended": _append,
    "end zeroed": _zero,
    "deleted": _delete,
    "copied under another name": _copy,
    "copied to another part or kind": _copy_to_part,
    "copied as a file manager does": _sync,
    "renamed": _rename,
    "two exchanged": _exchange,
    "piece of other work copied in": _foreign,
    "overwritten by a file of other work": _foreign_content,
    "a folder under the name of a piece": _folder_for_a_piece,
}
"""What can happen to a folder of work, by name."""
