"""Three small corpora to try the service. README.md states their sources and licences."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Example(NamedTuple):
    """A folder of tables beside this file, its title, and a line of description."""

    name: str
    title: str
    text: str

    @property
    def folder(self) -> Path:
        """The folder of the tables."""
        return Path(__file__).parent / self.name

    def to_dict(self) -> dict[str, str]:
        """Return the example, ready for JSON."""
        return self._asdict()


EXAMPLES = {
    example.name: example
    for example in (
        Example("novels_ner", "Names in novels", "Persons in the openings of twelve novels, marked by three people."),
        Example(
            "hearst_kazantseva", "Topics of texts", "Nine texts cut into topical segments by four to seven readers."
        ),
        Example("sleep_stages", "Stages of sleep", "Three nights of sleep, scored by five people."),
    )
}
"""The examples by name."""
