"""QualCoder projects."""

import shutil
import sqlite3

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "qualcoder"
JOINED = """SELECT source.name, code_text.owner, pos0, pos1, code_name.name FROM code_text
JOIN source ON source.id = fid JOIN code_name ON code_name.cid = code_text.cid"""


def copied(folder, *statements):
    path = folder / "data.qda"
    shutil.copyfile(FOLDER / "interviews.qda" / "data.qda", path)
    with sqlite3.connect(path) as database:
        for statement in statements:
            database.execute(statement)
    database.close()
    return path


def units(corpus):
    return sorted((name, unit[0], *unit[1:]) for name in corpus.documents for unit in corpus[name].units())


def test_the_project_has_the_units_that_a_query_gives(tmp_path):
    path = copied(tmp_path)
    with sqlite3.connect(path) as database:
        expected = sorted(database.execute(JOINED))
    database.close()
    assert units(ga.read(path)) == units(ga.read(FOLDER)) == expected


def test_codings_of_media_are_read_on_request(tmp_path):
    path = copied(tmp_path)
    assert units(ga.read(path, options={"media": "yes"})) == [("tour.mp3", "mira", 1.5, 4.0, "liking")]
    alone = copied(tmp_path, "DELETE FROM code_text")
    assert ga.read(alone).length_unit == "s"


def test_text_that_a_coding_does_not_cover_is_refused(tmp_path):
    path = copied(tmp_path, "UPDATE code_text SET pos0 = pos0 + 1 WHERE ctid = 2")
    with pytest.raises(InputError, match=r"data\.qda, coding 2"):
        ga.read(path)


def test_a_project_without_codings_is_refused(tmp_path):
    path = copied(tmp_path, "DELETE FROM code_text", "DELETE FROM code_av")
    with pytest.raises(InputError, match="the project has no codings"):
        ga.read(path)


def test_a_database_that_would_compute_without_end_is_refused(tmp_path):
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS cid, x AS name FROM c"
    path = copied(tmp_path, "DROP TABLE code_name", f"CREATE VIEW code_name AS {endless}")
    with pytest.raises(InputError, match="no table code_name"):
        ga.read(path)


def test_a_damaged_database_is_refused(tmp_path):
    path = copied(tmp_path)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(InputError, match="cannot be read"):
        ga.read(path)
