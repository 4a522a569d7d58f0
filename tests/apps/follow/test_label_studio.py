"""A project of Label Studio, on a server that answers as Label Studio 1.23 does: recorded answers, with other tasks."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

import gamma_align as ga
from gamma_align.apps.follow.label_studio import TOKEN_VARIABLE, Address, LabelStudio

pytestmark = pytest.mark.surfaces

TOKEN = "0123456789abcdef0123456789abcdef01234567"  # noqa: S105
PERSONAL = "header.payload.signature"


def annotation(number, annotator, end):
    value = {"start": 0, "end": end, "text": "Anna"[:end], "labels": ["PER"]}
    return {
        "id": number,
        "result": [{"type": "labels", "from_name": "ner", "to_name": "text", "value": value}],
        "created_username": " a@example.com, 1",
        "created_ago": f"{number} minutes",
        "completed_by": annotator,
        "was_cancelled": False,
        "ground_truth": False,
        "updated_at": "2026-11-29T11:31:56.222427Z",
    }


def task(number):
    return {
        "id": number,
        "predictions": [],
        "annotations": [annotation(2 * number, 1, 4), annotation(2 * number + 1, 2, 3 + number % 2)],
        "drafts": [],
        "total_annotations": 2,
        "annotations_results": "[{type: labels, from_name: ner}]",
        "data": {"text": f"Anna met Ben in Rome. {number}"},
        "created_at": "2026-11-29T11:31:56.205041Z",
        "updated_at": f"2026-11-29T11:{number % 60:02}:56.205095Z",
        "project": 7,
    }


class Server(ThreadingHTTPServer):
    """Label Studio with tasks; `fails` has answers in place of those of the next requests."""

    def __init__(self, n_tasks):
        super().__init__(("127.0.0.1", 0), Handler)
        self.tasks = [task(number) for number in range(1, n_tasks + 1)]
        self.fails = []
        self.asked = []
        self.tokens = set()


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_known = self.path == "/api/token/refresh" and content == {"refresh": PERSONAL}
        self.answer(200 if is_known else 401, {"access": "short.lived.token"} if is_known else {"detail": "no"})

    def do_GET(self):
        self.server.asked.append(self.path)
        self.server.tokens.add(self.headers["Authorization"])
        if self.server.fails:
            self.answer(*self.server.fails.pop(0))
            return
        if self.headers["Authorization"] not in (f"Token {TOKEN}", "Bearer short.lived.token"):
            self.answer(401, {"detail": "Invalid token."})
            return
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        first = (int(query["page"]) - 1) * int(query["page_size"])
        tasks = self.server.tasks[first : first + int(query["page_size"])]
        if query["project"] != "7" or (first and not tasks):
            self.answer(404, {"status_code": 404, "detail": "Invalid page."})
            return
        total = len(self.server.tasks)
        self.answer(200, {"total_annotations": 2 * total, "total_predictions": 0, "total": total, "tasks": tasks})

    def answer(self, code, content, headers=()):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def served(n_tasks):
    with Server(n_tasks) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def project_of(server, token=TOKEN, number=7):
    address = Address(f"http://127.0.0.1:{server.server_port}", number)
    return LabelStudio(address, ga.read, {TOKEN_VARIABLE: token})


def test_all_pages_are_read():
    with served(230) as server:
        version = project_of(server).newest()
        assert len(version.corpus) == 230
        assert version.corpus.annotators == ("1", "2")
        assert version.moment == "2026-11-29 11:59:56"
        assert len(server.asked) == 3
        assert server.tokens == {f"Token {TOKEN}"}


def test_a_personal_access_token_is_exchanged():
    with served(3) as server:
        assert len(project_of(server, PERSONAL).newest().corpus) == 3
        assert server.tokens == {"Bearer short.lived.token"}


def test_a_task_that_changes_is_seen_and_nothing_else():
    with served(3) as server:
        project = project_of(server)
        first = project.newest()
        for one in server.tasks:
            one["annotations"][0]["created_ago"] = "an hour"
        assert project.newest() is first
        server.tasks[1]["annotations"].append(annotation(99, 3, 4))
        assert project.newest().corpus["2"].annotators == ("1", "2", "3")


@pytest.mark.parametrize(
    "answer",
    [
        (502, {}),
        (200, b'{"total": 3, "tasks": [{"id'),
        (200, {"detail": "maintenance"}),
        (200, {"total": 9, "tasks": [task(1)]}),
    ],
    ids=["gateway", "half", "other", "changed"],
)
def test_a_server_that_fails_is_waited_for(answer):
    with served(3) as server:
        project = project_of(server)
        first = project.newest()
        server.fails.append(answer)
        away = project.newest()
        assert away.corpus is first.corpus
        assert "tries again" in away.waiting[0]
        assert project.newest().waiting == ()


def test_a_server_that_is_away_is_waited_for():
    with served(3) as server:
        project = project_of(server)
        project.newest()
    away = project.newest()
    assert len(away.corpus) == 3
    assert "does not answer" in away.waiting[0]


@pytest.mark.parametrize("token", ["wrong", "a.b.c"])
def test_a_wrong_token_is_refused_and_not_shown(token):
    with served(3) as server:
        project = project_of(server, token)
        with pytest.raises(ga.SettingsError, match=TOKEN_VARIABLE) as caught:
            project.newest()
        assert token not in str(caught.value).split()


def test_a_missing_token_and_a_missing_project_are_refused():
    with served(3) as server:
        with pytest.raises(ga.SettingsError, match=TOKEN_VARIABLE):
            project_of(server, "")
        missing = project_of(server, number=8)
        with pytest.raises(ga.SettingsError, match="no project 8"):
            missing.newest()


def test_the_token_is_sent_to_no_other_server():
    with served(3) as server, served(3) as other:
        project = project_of(server)
        server.fails.append((302, {}, [("Location", f"http://127.0.0.1:{other.server_port}/api/tasks")]))
        with pytest.raises(ga.SettingsError, match="another server"):
            project.newest()
        assert other.asked == []


def test_tasks_without_annotations_are_waited_for():
    with served(2) as server:
        for one in server.tasks:
            one["annotations"] = []
        version = project_of(server).newest()
        assert version.corpus is None
        assert "no task has an annotation yet" in version.waiting


@pytest.mark.parametrize(
    ("url", "base", "number"),
    [
        ("https://labels.org/projects/12", "https://labels.org", 12),
        ("https://labels.org/projects/12/data?tab=3&task=4", "https://labels.org", 12),
        ("http://localhost:8080/studio/projects/3/", "http://localhost:8080/studio", 3),
    ],
)
def test_the_address_is_that_of_the_browser(url, base, number):
    assert Address.of(url) == (base, number)


@pytest.mark.parametrize("url", ["https://labels.org", "https://labels.org/projects/", "https://a:secret@b/projects/1"])
def test_another_address_is_refused_without_showing_what_is_secret(url):
    with pytest.raises(ga.SettingsError, match="projects/12") as caught:
        Address.of(url)
    assert "secret" not in str(caught.value)


def test_the_token_can_be_read_on_the_way_without_encryption():
    assert Address.of("http://labels.org/projects/1").is_readable_by_others
    assert not Address.of("https://labels.org/projects/1").is_readable_by_others
    assert not Address.of("http://localhost:8080/projects/1").is_readable_by_others
