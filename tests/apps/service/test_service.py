"""The service answers as the command line does, and refuses in one shape."""

from __future__ import annotations

import io
import json
import re
import tempfile
import zipfile
from urllib.parse import urlencode

import pytest
from command_line import run
from jsonschema import Draft202012Validator
from places import CORPORA
from served import API, ERROR, served

from gamma_align.apps.service.examples import EXAMPLES
from gamma_align.apps.service.refusal import STATUS

THREE = CORPORA / "pygamma" / "AlexPaulSuzan.csv"
SEGMENTS = EXAMPLES["hearst_kazantseva"].folder / "units.csv"
UNITS = [
    {"document": "d", "annotator": "ann", "start": 0, "end": 3, "category": "x"},
    {"document": "d", "annotator": "bob", "start": 0, "end": 4, "category": "x"},
    {"document": "d", "annotator": "bob", "start": 8, "end": 12, "category": "y"},
]
BODY = 4 << 20
OPTIONS = ("--max-body", 4, "--max-unpacked", 6, "--max-units", 150_000, "--max-annotators", 20)


@pytest.fixture(scope="module")
def client():
    with served(*OPTIONS) as one:
        yield one


def refused(response, code):
    """Return the error of a response, which has this code, its status, and the one shape."""
    body = response.json()
    Draft202012Validator(ERROR).validate(body)
    assert (body["error"]["code"], response.status_code) == (code, STATUS[code])
    assert tempfile.gettempdir() not in response.text
    assert "Traceback" not in response.text
    return body["error"]


def form(path=THREE, **settings):
    """Return the form of a request with a file and settings."""
    return {"files": {"file": (path.name, path.read_bytes())}, "data": {"settings": json.dumps(settings)}}


def sent(client, command, path=THREE, **settings):
    return client.finish(command, **form(path, **settings))


def asked(client, command, body, query=""):
    return client.finish(command, query, json=body)


def begun(client, **settings):
    """Start a measurement of some seconds, and return the address of its job."""
    request = form(CORPORA / "pygamma" / "3by100.csv", samples=400, **settings)
    return client.post(f"{API}/measure?wait=0", **request).headers["location"]


@pytest.mark.parametrize(
    ("command", "path", "options", "settings"),
    [
        ("measure", THREE, ["--samples", "5", "--alpha", "2"], {"samples": 5, "alpha": 2}),
        ("align", THREE, ["--annotator", "Alex,Suzan"], {"annotator": ["Alex", "Suzan"]}),
        ("evaluate", THREE, ["--reference", "Alex", "--samples", "3"], {"reference": "Alex", "samples": 3}),
        ("evaluate", THREE, [], {}),
        ("evaluate", SEGMENTS, ["--measures", "segmentation"], {"measures": ["segmentation"]}),
        ("look", THREE, ["--samples", "5"], {"samples": 5}),
        ("look", CORPORA / "items" / "dreem_dodh_epochs.parquet", [], {}),
        ("ceiling", THREE, ["--model", "Alex", "--by-label"], {"model": "Alex", "by_label": True}),
        (
            "measure",
            THREE,
            ["--coefficients", "unitizing-alpha-2004"],
            {"coefficients": ["unitizing-alpha-2004"]},
        ),
        ("shuffle", THREE, ["--annotator", "Alex", "-m", "0.5"], {"annotator": "Alex", "magnitude": 0.5}),
        (
            "items",
            CORPORA / "items" / "dreem_dodh_epochs.parquet",
            ["--coefficients", "alpha,kappa"],
            {"coefficients": ["alpha", "kappa"]},
        ),
    ],
)
def test_a_result_is_what_the_command_prints(client, command, path, options, settings):
    response = sent(client, command, path, **settings)
    printed = run(command, path, *options, "--json").stdout
    in_words_of_the_service = printed.replace("--seen all", r"the setting \"seen\": \"all\"")
    assert (response.status_code, response.text) == (200, in_words_of_the_service)
    assert response.headers["content-type"] == "application/json"


def test_units_in_json_are_measured_as_in_a_file(client, tmp_path):
    body = {"units": UNITS, "annotations": [["d", "ann"], ["d", "bob"], ["d", "cy"]], "extents": {"d": [0, 40]}}
    answer = asked(client, "measure", {**body, "settings": {"samples": 5, "distance": "nominal"}}).json()
    (tmp_path / "units.csv").write_text(
        "document,annotator,start,end,category\nd,ann,0,3,x\nd,bob,0,4,x\nd,bob,8,12,y\n"
    )
    (tmp_path / "annotations.csv").write_text("document,annotator\nd,ann\nd,bob\nd,cy\n")
    (tmp_path / "documents.csv").write_text("document,start,end\nd,0,40\n")
    assert answer == json.loads(run("measure", tmp_path, "--samples", 5, "--json").stdout)
    assert answer["annotators"] == {"ann": 1, "bob": 2, "cy": 0}


def test_what_shuffle_gives_can_be_measured(client):
    made = asked(client, "shuffle", {"settings": {"synthetic": 30, "magnitude": 0.2, "annotators": 2}}).json()
    body = {name: made[name] for name in ("units", "annotations", "extents")}
    answer = asked(client, "measure", {**body, "settings": {"samples": 5}}).json()
    assert len(answer["annotators"]) == 2
    assert 0 < answer["corpus"]["gamma"]["value"] < 1


def test_a_reference_without_units_is_refused(client):
    # An empty corpus is false, and yet it is a corpus.
    refused(asked(client, "shuffle", {"units": [], "settings": {"magnitude": 0.5}}), "invalid_input")


def test_csv_that_a_browser_saves_runs_nothing_in_a_spreadsheet(client):
    units = [{"annotator": name, "start": 0, "end": 3, "category": "=1+1"} for name in ("ann", "@bob")]
    begun = client.post(f"{API}/measure?wait=0", json={"units": units, "settings": {"samples": 3}})
    assert client.follow(begun).status_code == 200
    job = client.get(begun.headers["location"]).json()
    saved = client.get("/page/save/csv", params={"data": job["data"], "job": job["job"]})
    assert saved.status_code == 200, saved.text
    assert ",'=1+1," in saved.text


def test_judgments_in_json(client):
    judgments = [{"item": f"i{n}", "annotator": who, "category": n % 2} for n in range(6) for who in ("ann", "bob")]
    answer = asked(client, "items", {"judgments": judgments, "settings": {"coefficients": ["alpha"]}}).json()
    assert answer["coefficients"]["alpha"]["value"] == 1
    assert "judgments" in refused(asked(client, "items", {"units": UNITS}), "invalid_input")["message"]


def test_judgments_are_looked_at_as_items(client):
    judgments = [
        {"item": f"i{i}", "annotator": name, "category": category}
        for i in range(6)
        for name, category in (("ann", "yes" if i % 2 else "no"), ("bob", "yes" if i % 3 else "no"))
    ]
    look = asked(client, "look", {"judgments": judgments}).json()
    assert look["size"] == "6 items, 2 coders, 2 labels"
    assert look["values"][0]["name"] == "alpha"


def test_a_word_for_missing_is_asked_about_in_json(client):
    labels = [("x", "x"), ("y", "y"), ("x", "none"), ("y", "x")]
    judgments = [
        {"item": f"i{n}", "annotator": who, "category": label}
        for n, row in enumerate(labels)
        for who, label in zip(("ann", "bob"), row, strict=True)
    ]
    refusal = refused(asked(client, "items", {"judgments": judgments}), "invalid_input")
    assert 'the setting "na": ["none"]' in refusal["cure"]
    answer = asked(client, "items", {"judgments": judgments, "settings": {"na": ["none"]}}).json()
    assert answer["table"]["judgments"] == 7


def test_coders_are_a_setting_of_a_table_of_items(client, tmp_path):
    table = tmp_path / "ratings.csv"
    table.write_text("utt,ann,ben,genre\n" + "".join(f"u{n},{n % 2},{n % 3 % 2},news\n" for n in range(12)))
    refusal = refused(sent(client, "items", table), "invalid_input")
    assert '"coders": ["ann", "ben"]' in refusal["cure"]
    answer = sent(client, "items", table, coders=["ann", "ben"], column={"item": "utt"}).json()
    assert answer["table"]["coders"] == 2


def test_texts_in_json_are_used(client):
    body = {"units": [{**UNITS[0], "end": 4}, UNITS[1]], "texts": {"d": "Ada met Bob."}}
    answer = asked(client, "align", {**body, "settings": {"trim": True}}).json()["documents"][0]
    assert answer["extent"] == [0, 12]
    assert [unit["end"] for each in answer["unitary_alignments"] for unit in each["units"]] == [3, 3]


def test_the_raw_body_is_a_file(client):
    query = f"name={THREE.name}&settings=%7B%22samples%22%3A5%7D"
    answer = client.finish("measure", query, content=THREE.read_bytes())
    assert answer.text == sent(client, "measure", samples=5).text


def test_several_files_are_a_folder(client):
    folder = CORPORA / "formats" / "brat" / "multi_annotator_project"
    files = [("file", (str(path.relative_to(folder)), path.read_bytes())) for path in sorted(folder.rglob("*.*"))]
    answer = client.finish("measure", files=files, data={"settings": '{"samples": 3}'})
    assert (
        answer.json()["annotators"] == json.loads(run("measure", folder, "--samples", 3, "--json").stdout)["annotators"]
    )


def test_several_files_of_different_formats_are_one_corpus(client, tmp_path):
    contents = {
        "a.csv": "document,annotator,start,end,category\nd,ann,0,3,x\nd,bob,0,4,y\n",
        "b.jsonl": '{"document": "d", "annotator": "cy", "start": 0, "end": 3, "category": "x"}\n',
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    files = [("file", (name, content)) for name, content in contents.items()]
    answer = client.finish("measure", files=files, data={"settings": '{"samples": 3}'})
    assert answer.text == run("measure", *contents, "--samples", 3, "--json", cwd=tmp_path).stdout
    assert answer.json()["annotators"] == {"ann": 1, "bob": 1, "cy": 1}
    below = [("file", (f"{name[0]}/{name}", content)) for name, content in contents.items()]
    error = refused(client.finish("measure", files=below), "invalid_input")
    assert "several formats" in error["message"]


def test_data_are_sent_once_and_measured_twice(client):
    about = client.post(f"{API}/data?example=hearst_kazantseva")
    kept = about.json()
    assert (about.status_code, len(kept["documents"]), kept["units"]) == (201, 9, 348)
    one, two = (
        asked(client, "measure", {"settings": {"samples": 3, "alpha": alpha}}, f"data={kept['data']}").json()
        for alpha in (1, 2)
    )
    assert one["corpus"]["gamma"]["value"] != two["corpus"]["gamma"]["value"]
    assert client.get(f"{API}/data/{kept['data']}").json() == kept
    assert client.delete(f"{API}/data/{kept['data']}").status_code == 204
    refused(client.get(f"{API}/data/{kept['data']}"), "not_found")


def test_an_example_is_the_corpus_of_its_name(client):
    names = [example["name"] for example in client.get(f"{API}/examples").json()]
    assert names == ["novels_ner", "hearst_kazantseva", "sleep_stages"]
    answer = asked(client, "measure", {"settings": {"samples": 3}}, "example=novels_ner")
    assert answer.text == run("measure", CORPORA / "novels_ner", "--samples", 3, "--json").stdout


def test_formats_are_listed(client):
    formats = {each["name"]: each for each in client.get(f"{API}/formats").json()}
    assert formats["brat"]["suffixes"] == [".ann"]
    assert formats["spacy"]["extra"] == "spacy"


def test_the_life_of_a_job(client):
    address = begun(client)
    unfinished = client.get(f"{address}/result")
    if unfinished.status_code != 200:
        refused(unfinished, "job_unfinished")
    events = list(client.get(f"{address}/events").iter_lines())
    kinds = [line.removeprefix("event: ") for line in events if line.startswith("event: ")]
    assert kinds[-1] == "done"
    done = client.get(address).json()
    assert (done["state"], done["progress"]["samples"]) == ("done", [400, 400])
    assert client.get(f"{address}/result").json()["documents"][0]["samples"] == 400
    refused(client.delete(address), "job_finished")
    last = max(int(line.removeprefix("id: ")) for line in events if line.startswith("id: "))
    again = client.get(f"{address}/events", headers={"Last-Event-ID": str(last - 1)})
    assert [line for line in again.iter_lines() if line.startswith("event")] == ["event: done"]


BAD = "document,annotator,start,end,category\nd,ann,0,3,x\nd,bob,5,3,x\nd,bob,9,8,x\n"


@pytest.mark.parametrize(
    ("name", "content", "settings", "code", "words"),
    [
        ("bad.csv", BAD, {}, "invalid_input", ["end", "start"]),
        ("note.qqq", "what is this", {}, "unknown_format", []),
        ("empty.csv", "", {}, "invalid_input", []),
        ("a.csv", "annotator,start,end\nann,0,3\n", {"samples": 3}, "invalid_input", ["annotator"]),
        ("a.csv", BAD, {"alpha": -1}, "usage", ["alpha", "0, or from"]),
        ("a.csv", BAD, {"alhpa": 1}, "usage", ["alpha"]),
        ("a.csv", BAD, {"jobs": 8}, "usage", ["jobs"]),
        ("a.csv", BAD, {"output": "x"}, "usage", ["output"]),
        ("a.csv", BAD, {"texts": "/etc/passwd"}, "usage", ["texts"]),
        ("a.rttm", "SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA>\n", {"option": {"uem": "/etc/passwd"}}, "usage", ["uem"]),
        ("a.rttm", "SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA>\n", {"option": ["uem=../../x"]}, "usage", ["uem"]),
        ("a.csv", BAD, {"distance": "nomnal"}, "usage", ["distance", "nominal"]),
        ("a.csv", BAD, {"precision": "much"}, "usage", ["precision", "number"]),
        ("a.csv", BAD, {"distance_matrix": [["", "x"], ["x", 1]]}, "invalid_input", ["distance_matrix.csv"]),
    ],
)
def test_what_is_wrong_is_said_with_place_and_cure(client, name, content, settings, code, words):
    answer = client.finish("measure", files={"file": (name, content)}, data={"settings": json.dumps(settings)})
    error = refused(answer, code)
    assert [word for word in words if word not in json.dumps(error, ensure_ascii=False)] == []


def test_every_problem_of_a_file_is_listed(client):
    error = refused(client.finish("measure", "name=bad.csv", content=BAD), "invalid_input")
    assert (error["where"], error["more"]) == ({"file": "bad.csv", "line": 3}, 1)
    assert [problem["where"]["line"] for problem in error["problems"]] == [3, 4]
    assert all(problem["cure"] for problem in error["problems"])


def test_a_distance_and_an_order_as_json(client):
    matrix = [["", "x", "y"], ["x", 0, 0.5], ["y", 0.5, 0]]
    half = asked(client, "align", {"units": UNITS, "settings": {"distance_matrix": matrix}})
    order = asked(client, "align", {"units": UNITS, "settings": {"distance": "ordinal", "order": ["x", "y"]}})
    assert (half.status_code, order.status_code) == (200, 200)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ('{"units": [{"annotator": "a", "start": 1}]}', "units[0].end"),
        ('{"units": [{"annotator": "a", "start": 1, "end": "2"}]}', "units[0].end"),
        ('{"units": [{"annotator": "", "start": 1, "end": 2}]}', "units[0].annotator"),
        ('{"unit": []}', "unit"),
        ('{"units": [{"annotator": "a", "start": 1, "end": 2}, {"annotator": "a", "start": 2, "end": 1}]}', "units[1]"),
        ('{"units": 3}', "units"),
        ("[]", "the request"),
    ],
)
def test_a_body_of_another_shape_is_refused_by_its_place(client, body, where):
    answer = client.finish("align", content=body, headers={"content-type": "application/json"})
    assert refused(answer, "invalid_input")["where"] == {"field": where}


@pytest.mark.parametrize("body", ["{", '{"units": NaN}', "[" * 100_000, "\xff", '{"settings": []}'])
def test_what_is_no_json_is_refused(client, body):
    answer = client.finish("align", content=body.encode("latin-1"), headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    refused(answer, answer.json()["error"]["code"])


@pytest.mark.parametrize(
    ("method", "address", "code"),
    [
        ("GET", "/api/v1/nothing", "not_found"),
        ("GET", "/api/v1/measure", "method"),
        ("PUT", "/api/v1/jobs/x", "method"),
        ("GET", "/api/v1/jobs/x", "not_found"),
        ("DELETE", "/api/v1/jobs/x", "not_found"),
        ("GET", "/api/v1/jobs/x/result", "not_found"),
        ("GET", "/api/v1/jobs/x/events", "not_found"),
        ("GET", "/api/v1/data/..%2f..%2fetc%2fpasswd", "not_found"),
        ("POST", "/api/v1/measure?wait=21", "usage"),
        ("POST", "/api/v1/measure?wait=x", "usage"),
        ("POST", "/api/v1/measure?example=none", "not_found"),
        ("POST", "/api/v1/measure?example=../../..", "not_found"),
        ("POST", "/api/v1/measure?data=x", "not_found"),
        ("POST", "/api/v1/measure?data=x&example=y", "usage"),
        ("POST", "/api/v1/measure", "invalid_input"),
    ],
)
def test_errors_of_the_framework_have_the_shape_too(client, method, address, code):
    refused(client.request(method, address), code)


@pytest.mark.parametrize(
    ("address", "methods"),
    [
        ("/api/v1/measure", "OPTIONS, POST"),
        ("/api/v1/data", "OPTIONS, POST"),
        ("/api/v1/data/x", "DELETE, GET, HEAD, OPTIONS"),
        ("/api/v1/jobs/x", "DELETE, GET, HEAD, OPTIONS"),
        ("/api/v1/jobs/x/result", "GET, HEAD, OPTIONS"),
        ("/api/v1/jobs/x/events", "GET, HEAD, OPTIONS"),
        ("/api/v1/formats", "GET, HEAD, OPTIONS"),
        ("/api/v1/openapi.json", "GET, HEAD, OPTIONS"),
        ("/", "GET, HEAD, OPTIONS"),
    ],
)
def test_the_methods_of_a_path_are_told(client, address, methods):
    refusal = client.request("PATCH", address)
    refused(refusal, "method")
    assert refusal.headers["allow"] == methods
    told = client.options(address)
    assert (told.status_code, told.headers["allow"], told.content) == (204, methods, b"")


def test_head_is_get_without_the_body(client):
    begun = client.post(f"{API}/measure?wait=0", **form(samples=20))
    assert client.follow(begun).status_code == 200
    job = begun.headers["location"]
    for address in (f"{API}/formats", f"{API}/openapi.json", "/", job, f"{job}/result", f"{API}/jobs/x"):
        head, whole = client.head(address), client.get(address)
        assert (head.status_code, head.content) == (whole.status_code, b"")
        for name in ("content-type", "content-length", "content-security-policy"):
            assert head.headers[name] == whole.headers[name]


def test_head_of_events_ends(client):
    job = begun(client, seed=1)
    head = client.head(f"{job}/events")
    assert (head.status_code, head.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")
    client.delete(job)
    assert client.head("/api/v1/nothing").status_code == 404


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd.csv", "/etc/x.csv", "-o.csv", "{annotator}/*.csv", "a\nb.csv", "x" * 500 + ".csv", "..", ".csv"],
)
def test_hostile_names_are_names(client, name):
    answer = client.finish("align", urlencode({"name": name}), content=THREE.read_bytes())
    if answer.status_code != 200:
        assert refused(answer, answer.json()["error"]["code"])["code"] in ("unknown_format", "invalid_input")


def bomb(members, size, method=zipfile.ZIP_DEFLATED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for number in range(members):
            archive.writestr(f"a{number}.ann", b"T1\tx 0 1\ta\n" * (size // 11))
    return content.getvalue()


def test_archives_that_unpack_to_too_much_are_refused(client):
    for content in (bomb(1, 8 << 20), bomb(8, 1 << 20)):
        assert len(content) < BODY
        refused(client.finish("align", "name=a.zip", content=content), "too_large")


def test_too_many_units_and_annotators_are_refused(client):
    rows = "".join(f"a,{n},{n + 1},x\nb,{n},{n + 1},x\n" for n in range(75_001))
    error = refused(client.finish("align", "name=a.csv", content=f"annotator,start,end,category\n{rows}"), "too_large")
    assert "150,002 units" in error["message"]
    rows = "".join(f"a{n},0,1,x\n" for n in range(21))
    refused(client.finish("align", "name=a.csv", content=f"annotator,start,end,category\n{rows}"), "too_large")
    settings = {"synthetic": 1000, "magnitude": 0.1, "annotators": 20, "repetitions": 10_000}
    refused(asked(client, "shuffle", {"settings": settings}), "too_large")


def test_a_body_that_is_too_large_is_refused(client):
    refused(client.post(f"{API}/align?name=a.csv", content=b"x" * (BODY + 1)), "too_large")

    def pieces():
        for _ in range(40):
            yield b"x" * (BODY // 20)

    refused(client.post(f"{API}/align?name=a.csv", content=pieces()), "too_large")


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1.evil.example"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"},
    ],
)
def test_other_hosts_and_pages_are_refused(client, headers):
    refused(client.get(f"{API}/formats", headers=headers), "host_or_origin")


@pytest.mark.parametrize(
    "headers", [{"host": "localhost:9"}, {"host": "[::1]:9"}, {"host": "LOCALHOST"}, {"sec-fetch-site": "none"}]
)
def test_our_own_are_answered(client, headers):
    assert client.get(f"{API}/formats", headers=headers).status_code == 200
    own = str(client.base_url).rstrip("/")
    assert client.get(f"{API}/formats", headers={"origin": own}).status_code == 200


def test_headers_keep_browsers_strict(client):
    for address in (f"{API}/formats", "/nothing"):
        headers = client.get(address).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_a_token_is_asked_for():
    with served("--token", "secret", "--allow-host", "any.example") as client:
        assert refused(client.get(f"{API}/formats"), "token")
        assert client.get(f"{API}/formats").headers["www-authenticate"] == "Bearer"
        refused(client.get(f"{API}/formats", headers={"authorization": "Bearer secre"}), "token")
        assert client.get(f"{API}/formats", headers={"authorization": "Bearer secret"}).status_code == 200
        refused(client.get("/?token=wrong"), "token")
        with_data = client.get("/?data=3f&document=a%26b&token=secret", follow_redirects=False)
        assert with_data.headers["location"] == "/?data=3f&document=a%26b"
        client.cookies.clear()
        welcome = client.get("/?token=secret", follow_redirects=False)
        assert (welcome.status_code, welcome.headers["location"]) == (303, "/")
        assert "HttpOnly" in welcome.headers["set-cookie"]
        assert "samesite=strict" in welcome.headers["set-cookie"].lower()
        assert client.get(f"{API}/formats").status_code == 200  # by the cookie


@pytest.mark.parametrize("proxied", ["", "/agreement"], ids=["the proxy removes the prefix", "the proxy keeps it"])
def test_behind_a_prefix_all_addresses_have_it(proxied):
    body = {"units": [{"annotator": name, "start": 0, "end": 1} for name in ("ann", "bob")]}
    with served("--root-path", "/agreement/", "--token", "secret") as client:
        assert client.headers["x-address"].endswith("/agreement/?token=secret")
        client.base_url = str(client.base_url).partition("/agreement")[0] + proxied
        welcome = client.get("/?token=secret", follow_redirects=False)
        assert welcome.headers["location"] == "/agreement/"
        assert "Path=/agreement/" in welcome.headers["set-cookie"]
        client.headers["authorization"] = "Bearer secret"
        # The page names nothing from the root of the host.
        assert not re.findall(r'(?:href|src)="/', client.get("/").text)
        answer = client.post(f"{API}/measure?wait=20", json=body)
        job = answer.headers["location"]
        assert job.startswith(f"/agreement{API}/jobs/")
        state = client.get(job.removeprefix("/agreement")).json()
        assert state["result"] == f"{job}/result"
        assert client.post(f"{API}/data", json=body).headers["location"].startswith(f"/agreement{API}/data/")
        assert client.get(f"{API}/openapi.json").json()["servers"] == [{"url": "/agreement"}]


@pytest.mark.parametrize("n_units", [4, 2_000])
def test_data_and_result_of_one_request_can_be_asked_for_again(client, n_units):
    # small ones are in memory until then
    units = [
        {"annotator": name, "start": 10 * index, "end": 10 * index + 5, "category": "x"}
        for name in ("ann", "bob")
        for index in range(n_units // 2)
    ]
    begun = client.post(f"{API}/align?wait=0", json={"units": units})
    answer = client.follow(begun)
    assert answer.status_code == 200, answer.text
    address = begun.headers["location"]
    job = client.get(address).json()
    assert client.get(f"{address}/result").content == answer.content
    assert client.get(f"{API}/data/{job['data']}").json()["units"] == n_units
    again = client.finish("align", f"data={job['data']}", json={"settings": {}})
    assert again.json() == answer.json()
    assert client.delete(f"{API}/data/{job['data']}").status_code == 204
    assert client.get(f"{API}/data/{job['data']}").status_code == 404


def test_a_question_about_columns_comes_with_maps_that_answer_it(client, tmp_path):
    units = [(f"d{n % 3}", f"a{n % 2}", 10 * (n // 6), 10 * (n // 6) + 6, "xy"[n % 2]) for n in range(60)]
    path = tmp_path / "own.csv"
    path.write_text("V1,V2,V3,V4,V5\n" + "".join(",".join(map(str, unit)) + "\n" for unit in units))
    error = refused(sent(client, "measure", path), "invalid_input")
    assert error["asks"] == "columns"
    for proposal in error["proposals"]:
        answer = sent(client, "measure", path, map=json.dumps(proposal), samples=5)
        assert answer.status_code == 200, answer.text
    path.write_text("id,ann,ben,cem,gold\n" + "".join(f"{n},{n % 2},{n % 3},{n % 2},{n % 2}\n" for n in range(30)))
    (proposal,) = refused(sent(client, "items", path), "invalid_input")["proposals"]
    assert sent(client, "items", path, map=json.dumps(proposal)).status_code == 200
    path.write_text("document,annotator,start,end\nd,a,5,3\n")
    assert "asks" not in refused(sent(client, "measure", path), "invalid_input")
