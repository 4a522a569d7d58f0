"""The page follows a project: what its looks said, its newest documents, and what is waited for."""

import os
import signal

import pytest
from browser import browser, opened, violations
from command_line import run
from label_studio_server import TOKEN, label_studio
from places import CORPORA
from process_tree import children, is_alive, wait_until
from served import served

from gamma_align.apps.follow.label_studio import TOKEN_VARIABLE

pytestmark = pytest.mark.surfaces

FIRST = "Emma,DavidCopperfield,AliceInWonderland"
EVERY = ("--every", 0.5)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes an export of some documents."""
    (tmp_path / "exports").mkdir()

    def write(name, documents, moment):
        path = tmp_path / "exports" / f"{name}.csv"
        made = tmp_path / path.name  # an export that arrives at once
        run("convert", CORPORA / "novels_ner", made, "--document", documents, "--drop", "all", "--quiet")
        os.utime(made, (moment, moment))
        made.rename(path)

    return write


def followed(client):
    return client.get("/page/followed").json()


def test_the_page_shows_the_project_and_its_newest_documents(tmp_path, write):
    write("monday", FIRST, 1_000_000_000)
    options = ["--follow", tmp_path / "exports", "--work", tmp_path / "work", *EVERY]
    with served(*options) as client, browser() as running, opened(running, str(client.base_url)) as page:
        page.wait_for_selector("#report section")
        assert "3 of 3 documents done" in page.inner_text("#followed")
        assert page.locator("#followed table").count() == 0
        before = page.url
        write("friday", f"{FIRST},Dracula", 1_000_500_000)
        page.wait_for_selector("#show-newest:visible")
        assert page.url == before  # nothing that is read goes away
        assert "4 of 4 documents done" in page.inner_text("#followed")
        page.click("#followed summary")
        assert [row.split("\t")[0] for row in page.inner_text("#followed tbody").splitlines() if row[:4] == "2001"] == [
            *("2001-09-14 20:40:00", "2001-09-09 01:46:40"),
        ]
        page.click("#show-newest")
        page.wait_for_selector("#document option[value=Dracula]", state="attached")
        assert page.is_hidden("#show-newest")
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert violations(page) == []
        assert page.messages == []
        workers = children(client.process.pid)
        client.process.send_signal(signal.SIGINT)
        assert client.process.wait() == 0
        wait_until(lambda: not any(map(is_alive, workers)))
    # The looks are kept, and are those of the command.
    looks = run("follow", tmp_path / "exports", "--work", tmp_path / "work", "--once", "--quiet").stdout.splitlines()
    assert [line.split("  ")[0] for line in looks if not line.startswith(" ")] == [
        "2001-09-09 01:46:40",
        "2001-09-14 20:40:00",
    ]


def test_a_half_written_export_is_said_and_waited_for(tmp_path, write):
    write("monday", FIRST, 1_000_000_000)
    (tmp_path / "exports" / "half.json").write_text('[{"id": 1, "data"')
    with served("--follow", tmp_path / "exports", "--work", tmp_path / "work", *EVERY) as client:
        wait_until(lambda: "3 of 3 documents" in followed(client).get("html", ""))
        assert "half.json" in followed(client)["html"]
        number = followed(client)["number"]
        assert client.get(f"/page/followed?seen={number}").json() == {"number": number}
        other = run("follow", tmp_path / "exports", "--work", tmp_path / "work", "--once")
        assert "another process works in" in other.stderr


def test_a_server_that_is_away_is_said_and_waited_for(tmp_path):
    with label_studio(1) as server:
        port = server.server_port
    project = f"http://127.0.0.1:{port}/projects/7"
    with served("--follow", project, "--work", tmp_path / "work", *EVERY, **{TOKEN_VARIABLE: TOKEN}) as client:
        wait_until(lambda: "it does not answer" in followed(client).get("html", ""))
        assert followed(client)["data"] is None
        with label_studio(5, port):
            wait_until(lambda: "5 of 5 documents done" in followed(client)["html"])
        wait_until(lambda: "it does not answer" in followed(client)["html"])
        page = followed(client)
        assert "5 of 5 documents done" in page["html"]
        assert TOKEN not in page["html"]
        assert page["data"] is not None


def test_own_tables_are_read_with_a_map(tmp_path):
    (tmp_path / "exports").mkdir()
    rows = ["V1,V2,V3,V4", *(f"mira,{bounds},A\njonas,{bounds},A" for bounds in ("1,4", "6,9"))]
    (tmp_path / "exports" / "monday.csv").write_text("\n".join(rows) + "\n")
    options = ["--follow", tmp_path / "exports", "--work", tmp_path / "work", *EVERY]
    with served(*options) as client:
        wait_until(lambda: "--column annotator" in followed(client).get("html", ""))
    table = tmp_path / "map.json"
    table.write_text('{"form": "row", "roles": {"annotator": "V1", "start": "V2", "end": "V3", "category": "V4"}}')
    with served(*options, "--map", table) as client:
        wait_until(lambda: "1 of 1 document done" in followed(client).get("html", ""))


def test_an_option_that_only_follow_reads_is_refused_without_it(tmp_path):
    for option in (EVERY, ("--work", tmp_path), ("--map", "{}")):
        refused = run("serve", *option)
        assert refused.returncode == 2
        assert f"{option[0]}: only --follow reads it" in refused.stderr


def test_what_cannot_be_followed_is_refused_before_anything_is_served(tmp_path):
    for arguments, words in (
        ([tmp_path / "nothing"], "is no folder"),
        ([tmp_path, tmp_path], "leave out PATH"),
        (["https://labels.example.org/projects/12"], TOKEN_VARIABLE),
    ):
        refused = run("serve", "--follow", *arguments, "--work", tmp_path / "work")
        assert refused.returncode != 0
        assert refused.stdout == ""
        assert words in refused.stderr


def test_a_page_that_follows_nothing_says_so():
    with served() as client:
        assert followed(client) == {"number": None}
