"""A server that answers as Label Studio 1.23 does: recorded answers, with other tasks."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

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

    def __init__(self, n_tasks, port):
        super().__init__(("127.0.0.1", port), Handler)
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
def label_studio(n_tasks, port=0):
    """Serve a project of this many tasks."""
    with Server(n_tasks, port) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
