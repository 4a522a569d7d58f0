"""The page in a real browser, served by the real program: values, states, keyboard, address, and what it asks for."""

from __future__ import annotations

import itertools
import json
import re
import signal
import socket
import zipfile
from contextlib import contextmanager
from urllib.parse import parse_qs, quote, urlsplit
from xml.etree import ElementTree as ET

import pytest
from browser import browser, cut_text, opened, violations
from command_line import run
from five_labels import five_labels
from places import CORPORA
from playwright.sync_api import expect
from process_tree import children, has_new_process, wait_until, worker_at_work
from served import served

import gamma_align as ga
from gamma_align.apps.service.examples import EXAMPLES
from gamma_align.measures.gamma.gamma_reasons import SAME_CATEGORIES
from gamma_align.present.page.numbers import decimal

NOVELS = "/?example=novels_ner&document=VanityFair"
CORPUS = "/?example=hearst_kazantseva"
HEARST = f"{CORPUS}&document=hearst/stargazer"
MEASURE = re.compile("/api/v1/measure")
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
BAD = "document,annotator,start,end,category\nd,ann,5,3,x\nd,bob,0,4,x\nd,ann,7,6,x\n"
HOSTILE = (
    "document,annotator,start,end,category\n"
    '<b>d</b>,"<img src=x onerror=alert(1)>",0,3,"</script><script>alert(2)</script>"\n'
    f"<b>d</b>,עברית,0,4,{'long ' * 1000}\n<b>d</b>,😀,2,2,עברית\nlone,😀,0,1,x\n"
)


@pytest.fixture(scope="module")
def running():
    with browser() as one:
        yield one


@pytest.fixture(scope="module")
def client():
    with served() as one:
        yield one


@pytest.fixture
def open_page(running, client):
    """Open an address of the page; nothing else may be asked for, and nothing written to the console."""

    @contextmanager
    def open_page(address="/", *, refusals=False, **settings):
        with opened(running, f"{client.base_url}{address}".replace("//?", "/?"), **settings) as page:
            yield page
            assert [url for url in page.requests if not url.startswith((str(client.base_url), "data:", "blob:"))] == []
            assert [text for text in page.messages if not (refusals and REFUSED.match(text))] == []

    return open_page


@pytest.fixture(scope="module")
def measured():
    """Return what the command line says of an example."""
    return lambda name, *options: json.loads(run("measure", EXAMPLES[name].folder, "--json", *options).stdout)


def until(page, state):
    page.wait_for_selector(f"body[data-state={state}]")


@contextmanager
def measured_anew(page):
    """Wait until what is changed inside is measured; on a busy machine, the state "changed" may be gone unseen."""
    with page.expect_request(MEASURE):
        yield
    until(page, "done")


def wait(page, condition):
    """Wait until a condition holds; the page's own policy forbids the browser's way of it."""
    wait_until(lambda: page.evaluate(condition))


def send(page, name, text):
    page.set_input_files("#files", {"name": name, "mimeType": "text/csv", "buffer": text.encode()})


def focused(page):
    """Return what has the focus, which must be something that is seen to have it."""
    found = page.evaluate(
        """() => {
          const element = document.activeElement, style = getComputedStyle(element);
          const { width, height } = element.getBoundingClientRect();
          const isOutlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
          const isSeen = width > 0 && height > 0 && isOutlined;
          return [element.id || element.className || element.tagName, element !== document.body && isSeen];
        }"""
    )
    assert found[1], found[0]
    return found[0]


def shown_values(page, within):
    rows = page.locator(f"{within} tr[data-value]").evaluate_all(
        """rows => rows.map(({ dataset, children }) => [
          dataset.coefficient, dataset.label ?? null, children[1].textContent, children[2].textContent,
          dataset.value, dataset.low, dataset.high])"""
    )
    return {(sign, label): rest for sign, label, *rest in rows}


def as_shown(value):
    """Return a value of the JSON as it stands in the page: two texts, and its digits."""
    text = f"[{decimal(value['low'], 3)},\u00a0{decimal(value['high'], 3)}]"
    return [decimal(value["value"], 3), text, *(repr(value[name]) for name in ("value", "low", "high"))]


def test_values_are_those_of_the_command_line_however_fast_settings_change(open_page, client, measured):
    requests = []
    with open_page(f"{NOVELS}&seed=11") as page:  # of its own: no other test has measured it
        page.on("requestfinished", lambda request: MEASURE.search(request.url) and requests.append(request))
        until(page, "first")
        for alpha in ("2", "1"):
            page.fill("#alpha", alpha)
        until(page, "done")
        page.route(MEASURE, lambda _: None)  # not answered: the values of 2 would take the note away
        page.fill("#alpha", "2")
        until(page, "changed")
        assert page.inner_text("#alpha-note") == "α was 1"
        page.fill("#alpha", "1")
        until(page, "done")
        result = measured("novels_ner", "--seed", "11")
        document = next(row for row in result["documents"] if row["document"] == "VanityFair")
        expected = {("γ", None): document["gamma"], ("cat", None): document["gamma_cat"]}
        expected |= {("k", label): value for label, value in document["gamma_k"].items()}
        assert shown_values(page, "#results") == {key: as_shown(value) for key, value in expected.items()}
        facts = dict(re.findall(r"(\S.*)\n(\S.*)", page.inner_text(".facts")))
        assert facts["observed"] == f"{document['gamma']['observed']:.3f}"
        assert facts["samples"] == str(document["samples"])
        gamma = result["corpus"]["gamma"]
        headline = f"12 documents, corpus γ {gamma['value']:.3f} [{gamma['low']:.3f},\u00a0{gamma['high']:.3f}]"
        headline += f" {gamma['interval_note']}"
        assert page.text_content("#summary") == headline
        jobs = [request.response().headers["location"] for request in requests]
    states = sorted(client.get(job).json()["state"] for job in jobs)
    assert set(states) <= {"cancelled", "done"}
    assert "done" in states


def test_what_is_shown_is_saved(open_page, measured):
    with open_page(HEARST) as page:
        until(page, "done")
        page.click("#save summary")
        saved = {}
        for kind in ("json", "csv", "svg"):
            with page.expect_download() as download:
                page.click(f"[data-save={kind}]")
            saved[download.value.suggested_filename] = download.value.path().read_text(encoding="utf-8")
        assert json.loads(saved["hearst_kazantseva.json"]) == measured("hearst_kazantseva")
        assert saved["hearst_kazantseva.csv"] == run("measure", EXAMPLES["hearst_kazantseva"].folder, "--csv").stdout
        (name,) = saved.keys() - {"hearst_kazantseva.json", "hearst_kazantseva.csv"}
        assert ET.fromstring(saved[name]).tag.endswith("svg")  # noqa: S314
        assert SAME_CATEGORIES in page.locator("#results tr").nth(2).inner_text()


def test_parts_and_pictures_by_their_address(client):
    few = "example=hearst_kazantseva&settings=" + json.dumps({"samples": 3})
    assert client.get(f"/page/save/report?{few}").text.startswith("<!doctype html>")
    refusals = {
        "/page/show?parts=view": 404,
        f"/page/show?{few}&parts=view,wine": 404,
        f"/page/show?{few}&parts=view&document=nothing": 404,
        f"/page/show?{few}&parts=view&from=nan&to=1": 400,
        f"/page/show?{few}&parts=view&width=1e9": 400,
        "/page/show?example=hearst_kazantseva&parts=view&settings=[]": 400,
        f"/page/save/csv?{few}": 404,
        f"/page/save/wine?{few}": 400,
        "/static/look.py": 404,
        "/static/..%2Flook.py": 404,
    }
    answers = {address: client.get(address) for address in refusals}
    assert {address: answer.status_code for address, answer in answers.items()} == refusals
    assert all({"code", "message"} <= answer.json()["error"].keys() for answer in answers.values())


@pytest.mark.release
def test_nobody_works_for_a_page_that_was_left(client):
    starts = [(who, 20 * at + who % 7) for who in range(100) for at in range(6)]
    units = [f"d,p{who:03},{start},{start + 5},{who % 3}" for who, start in starts]
    table = "document,annotator,start,end,category\n" + "\n".join(units)
    data = client.post("/api/v1/data?name=slow.csv", content=table).json()["data"]
    before = {*children(client.process.pid)}
    corpus = client.get(f"/page/show?data={data}&parts=corpus").json()["corpus"]
    assert corpus["size"] == "1 document"  # which does not wait for its alignment
    with socket.create_connection((client.base_url.host, client.base_url.port)) as left:
        left.sendall(f"GET /page/show?data={data}&parts=view HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        worker_at_work(client.process.pid)
    wait_until(lambda: has_new_process(client.process.pid, before))
    assert client.get("/page/show?example=novels_ner&parts=view").status_code == 200


def test_the_page_opens_on_the_report_of_the_corpus(open_page):
    """Numbers are those of the report that is saved; each count leads to its places, and these to their documents."""
    with open_page("/?example=novels_ner") as page:
        expect(page.locator("#opening [data-document]")).to_have_count(12)
        until(page, "done")
        expect(page.locator("#opening")).to_be_hidden()
        assert not re.search(r"(?<!\S)--[a-z]|=True", page.inner_text("#report"))  # no word of options
        headings = page.locator("#report h2").all_inner_texts()
        for first, second in itertools.pairwise(("What to settle", "Annotators", "Labels", "Documents")):
            assert index_of(headings, first) < index_of(headings, second)
        page.click("#save summary")
        with page.expect_download() as download:
            page.click("[data-save=report]")
        saved = download.value.path().read_text(encoding="utf-8")
        shown = [re.sub(r"\s+", " ", text) for text in page.locator("#report .finding").all_text_contents()]
        with opened(
            page.context.browser, download.value.path().rename(download.value.path().with_suffix(".html"))
        ) as file:
            assert [re.sub(r"\s+", " ", text) for text in file.locator(".finding").all_text_contents()] == shown
        assert "What to settle" in saved
        places = page.locator("#settle a[data-cases]").first
        number = int(re.match(r"\d+", places.inner_text())[0])
        places.click()
        expect(page.locator("#cases > h3")).to_contain_text(f"{number} cases")
        expect(page.locator("#cases .card")).to_have_count(20)
        page.locator("#cases > button").click()
        expect(page.locator("#cases .card")).to_have_count(40)
        assert "cases=s-1" in page.url
        check_accessible(page)
        place = page.locator("#cases .card a[data-document]").first
        name, at = place.get_attribute("data-document"), place.get_attribute("data-at")
        place.click()
        expect(page.locator("#card h3")).to_have_text(re.compile(f"^Alignment {at} of"))
        expect(page.locator("#results-title bdi")).to_have_text(name)
        page.go_back()
        expect(page.locator("#cases .card")).to_have_count(40)
        page.go_back()
        expect(page.locator("#cases")).to_have_count(0)
        expect(page.locator("#settle")).to_be_visible()
        page.go_forward()
        expect(page.locator("#cases > h3")).to_contain_text(f"{number} cases")
        page.keyboard.press("Escape")
        expect(page.locator("#cases")).to_have_count(0)
        page.locator("#documents tbody a").first.click()
        expect(page.locator("#results-title bdi")).to_have_text("VanityFair")
        page.click("#summary")
        expect(page.locator("#settle")).to_be_visible()
        assert "document=" not in page.url


def test_decisions_on_the_page_are_saved_and_stay_while_settings_change(open_page, tmp_path):
    with open_page("/?example=novels_ner") as page:
        until(page, "done")
        finding = page.locator("#report .finding").first
        finding.get_by_role("button", name="Decide").click()
        page.get_by_label("Whose reading holds?").select_option("all but user2, by votes")
        page.get_by_role("dialog").get_by_role("button", name="Decide").click()
        expect(finding.locator(".decided")).to_have_text("decided: all but user2")
        page.locator("#settle a[data-cases]").first.click()
        page.locator("#cases .card").first.get_by_role("button", name="Decide").click()
        page.get_by_label("Whose reading holds?").select_option("no unit")
        check_accessible(page)
        page.get_by_role("dialog").get_by_role("button", name="Decide").click()
        page.keyboard.press("Escape")
        with page.expect_download() as download:
            page.get_by_role("button", name="Save", exact=True).click()
        download.value.save_as(tmp_path / "decisions.json")
        with measured_anew(page):
            page.fill("#seed", "1")
        expect(page.locator("#report .finding .decided").first).to_have_text("decided: all but user2")
        page.reload()
        until(page, "done")
        expect(page.locator("#report .finding .decided").first).to_have_text("decided: all but user2")
        expect(page.locator(".decisions strong")).to_have_text("2 decisions")
    result = ga.consensus(CORPORA / "novels_ner", decisions=tmp_path / "decisions.json")
    assert [row.state for row in result.decisions] == ["settled", "settled"]


DECISIONS = {
    "schema_version": 1,
    "decisions": [
        {
            "document": "AliceInWonderland",
            "units": [{"annotator": "user2", "start": 801, "end": 809, "category": "PERX"}],
            "reading": {"annotator": "user2"},
        }
    ],
}


def test_the_decided_corpus_is_downloaded_as_the_command_line_writes_it(open_page, tmp_path):
    (tmp_path / "decisions.json").write_text(json.dumps(DECISIONS))
    saved = {}
    with open_page("/?example=novels_ner") as page:
        until(page, "done")
        page.set_input_files("[data-decisions=file]", tmp_path / "decisions.json")
        expect(page.locator(".decisions strong")).to_have_text("1 decision")
        menu = page.get_by_label("Download the decided corpus as")
        offered = menu.locator("option").evaluate_all("options => options.map(({ value }) => value)")
        assert {"csv", "jsonl", "labelstudio", "webanno-tsv"} <= {*offered}
        assert not {"textgrid", "elan", "rttm"} & {*offered}  # they count seconds
        for name in ("labelstudio", "webanno-tsv"):
            menu.select_option(name)
            with page.expect_download() as download:
                page.get_by_role("button", name="Download", exact=True).click()
            download.value.save_as(tmp_path / download.value.suggested_filename)
            saved[name] = tmp_path / download.value.suggested_filename
            expect(page.locator(".decisions [role=status]")).to_contain_text(f"{saved[name].name} is made")
        expect(page.locator(".decisions [role=status]")).to_contain_text("not written: the extents of 12 documents")
        check_accessible(page)
    assert {path.name for path in saved.values()} == {"novels_ner-decided.json", "novels_ner-decided.zip"}
    options = ("--decisions", tmp_path / "decisions.json", "--drop", "extents", "--quiet")
    run("consensus", EXAMPLES["novels_ner"].folder, *options, "-o", tmp_path / "expected.json", "--to", "labelstudio")
    assert saved["labelstudio"].read_bytes() == (tmp_path / "expected.json").read_bytes()
    run("consensus", EXAMPLES["novels_ner"].folder, *options, "-o", tmp_path / "expected", "--to", "webanno-tsv")
    with zipfile.ZipFile(saved["webanno-tsv"]) as archive:
        content = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    files = [path for path in (tmp_path / "expected").rglob("*") if path.is_file()]
    assert content == {path.relative_to(tmp_path / "expected").as_posix(): path.read_bytes() for path in files}


def test_a_decided_corpus_that_cannot_be_made_says_why(client):
    def refusal(name, decisions):
        answer = client.post(f"/page/decided/{name}?example=novels_ner", content=json.dumps(decisions))
        assert 400 <= answer.status_code < 500
        return answer.json()["error"]

    error = refusal("textgrid", DECISIONS)
    assert error["message"].endswith("a TextGrid counts seconds, and the corpus counts in 'char'")
    assert error["cure"] == "choose another format"
    error = refusal("csv", {"schema_version": 1, "decisions": [{"reading": None}]})
    assert error["where"] == {"file": "decisions.json", "place": "decision 1"}
    unknown = DECISIONS["decisions"][0] | {"reading": {"annotator": "nobody"}}
    assert "nobody" in refusal("csv", {"schema_version": 1, "decisions": [unknown]})["message"]
    assert "'wine'" in refusal("wine", DECISIONS)["message"]


def index_of(texts, start):
    return next(index for index, text in enumerate(texts) if text.startswith(start))


def test_an_address_opens_its_cases_and_a_setting_makes_the_report_anew(open_page):
    with open_page(f"{CORPUS}&cases=alone-s1") as page:
        until(page, "done")
        link = page.locator("#annotators a[data-cases^=alone-]").first
        key = link.get_attribute("data-cases")
        before = page.inner_text("#report .big")
        with measured_anew(page):
            page.fill("#alpha", "0.1")
        assert page.inner_text("#report .big") != before
        page.goto(page.url.replace("alone-s1", key))
        until(page, "done")
        number = page.inner_text(f"#annotators a[data-cases='{key}']")
        expect(page.locator("#cases > h3")).to_contain_text(f"{number} case")


def test_models_are_named_on_the_page(open_page):
    with open_page("/?example=novels_ner") as page:
        until(page, "done")
        assert page.locator("#models").count() == 0
        page.check("[data-model=user3]")
        page.click("#apply-models")
        expect(page.locator("#models tbody th")).to_have_text("user3")
        assert "model=user3" in page.url
        assert "γ of user1, user2" in page.inner_text("#report .verdict")
        assert page.is_checked("[data-model=user3]")
        check_accessible(page)
        page.go_back()
        expect(page.locator("#models")).to_have_count(0)


def test_documents_with_long_names_and_their_pictures_fit_a_usual_window(open_page):
    with open_page("/?example=sleep_stages") as page:
        until(page, "done")
        regions = page.locator("#documents :is(.wide, .excerpt)")
        widths = regions.evaluate_all("all => all.map(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])")
        assert len(widths) == 3
        assert all(content <= shown for content, shown in widths)


def test_it_is_accessible_and_does_not_scroll_sideways(open_page):
    with open_page(NOVELS) as page:
        until(page, "done")
        page.keyboard.press("w")
        expect(page.locator("#card .card")).to_be_visible()
        page.click("#table summary")
        page.wait_for_selector("#table td")
        for width in (1280, 390, 320):
            page.set_viewport_size({"width": width, "height": 900})
            wait(page, f"document.querySelector('#reading svg').clientWidth <= {width}")
            # the page is drawn again after its size has changed
            wait(page, f"document.documentElement.scrollWidth <= {width}")
            for scheme in ("light", "dark") if width > 320 else ():
                page.emulate_media(color_scheme=scheme)
                check_accessible(page)
        page.set_viewport_size({"width": 390, "height": 900})
        assert too_small(page, 44) == []


def test_a_document_of_a_corpus_measured_before_is_drawn_beside_the_settings(open_page):
    with open_page("/?example=novels_ner") as page:
        until(page, "done")
    with open_page(NOVELS) as page:
        until(page, "done")
        assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")


def test_each_character_of_cards_and_labels_is_visible_in_a_corpus_of_five_labels(open_page):
    text, rows = five_labels()
    names = ("annotator", "start", "end", "category")
    units = [dict(zip(names, row[1:], strict=True)) for row in rows]
    with open_page() as page:
        send(page, "five.jsonl", json.dumps({"document": "d", "text": text, "units": units}))
        until(page, "done")
        for width in (1280, 760, 390, 320):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert cut_text(page, "#report :is(.card, .chip, .key, table)") == []
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                check_accessible(page)
        page.select_option("#document", "d")
        expect(page.locator("#reading svg")).to_be_visible()
        wait(page, "!document.querySelector('[aria-busy=true]')")
        resize(page, 1281)
        for width in (1280, 760, 390, 320):
            resize(page, width)
            wait(page, f"document.querySelector('#reading svg').clientWidth <= {width}")
            for _ in range(5):
                page.keyboard.press("j")
                expect(page.locator("#card .card")).to_be_visible()
                assert cut_text(page, "#card :is(.lane, .chip), #tools, .values tbody") == []
            check_accessible(page)


@pytest.mark.release
@pytest.mark.parametrize("example", ["sleep_stages", "hearst_kazantseva"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_other_corpora_are_accessible_and_do_not_scroll_sideways(open_page, example, scheme):
    with open_page(f"/?example={example}", color_scheme=scheme) as page:
        until(page, "done")
        for width in (1280, 390, 320):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            check_accessible(page)
        page.select_option("#document", index=1)
        expect(page.locator("#reading svg")).to_be_visible()
        wait(page, "!document.querySelector('[aria-busy=true]')")
        resize(page, 1281)
        page.keyboard.press("w")
        expect(page.locator("#card .card")).to_be_visible()
        for width in (1280, 800, 640, 390, 320):
            resize(page, width)
            wait(page, f"document.querySelector('#reading svg').clientWidth <= {width}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            check_accessible(page)


def test_a_place_that_is_chosen_while_another_width_is_drawn_stays(open_page):
    with open_page(NOVELS) as page:
        until(page, "done")
        expect(page.locator("#reading svg")).to_be_visible()
        wait(page, "!document.querySelector('[aria-busy=true]')")
        held = []
        page.route(re.compile(r"/page/show\?.*parts=document"), lambda route: held.append(route))  # noqa: PLW0108  (Playwright asks for a function)
        page.set_viewport_size({"width": 700, "height": 900})
        wait(page, "document.querySelector('#annotations[aria-busy=true]')")
        page.keyboard.press("w")
        expect(page.locator("#card .card")).to_be_visible()
        chosen = page.locator("#card h3").inner_text()
        held.pop().continue_()
        wait(page, "!document.querySelector('[aria-busy=true]')")
        expect(page.locator("#card h3")).to_have_text(chosen)
        wait(page, "document.querySelector('#reading svg').clientWidth <= 700")


def test_first_values_may_come_before_the_document_is_drawn(open_page):
    with open_page() as page:
        held = []
        page.route(re.compile(r"/page/show\?.*parts=document"), lambda route: held.append(route))  # noqa: PLW0108  (Playwright asks for a function)
        page.evaluate("address => { location.href = address; }", f"{NOVELS}&precision=0.001")
        expect(page.locator("#so-far")).to_have_text(re.compile("≈"))
        held.pop().continue_()
        expect(page.locator("#reading svg")).to_be_visible()


def check_accessible(page):
    wait(page, "!document.querySelector('[aria-busy=true]')")  # what is about to be replaced is faded
    assert violations(page) == []


def resize(page, width):
    """Give the page of a document another width, and wait for the picture that it asks for after a while."""
    with page.expect_response(re.compile(r"/page/show\?.*parts=document")):
        page.set_viewport_size({"width": width, "height": 900})
    wait(page, "!document.querySelector('[aria-busy=true]')")


def too_small(page, least):
    """Return the buttons, fields and links of the page that are lower than so many pixels."""
    return page.evaluate(
        """least => [...document.querySelectorAll("header button, header select, .actions summary, #annotations label")]
          .filter(each => each.offsetParent && each.getBoundingClientRect().height < least)
          .map(each => each.outerHTML.slice(0, 80))""",
        least,
    )


def test_the_empty_page_opens_examples_and_is_accessible(open_page):
    with open_page("/") as page:
        assert page.evaluate("document.body.dataset.state") == "empty"
        assert "Nothing leaves this computer." in page.inner_text("main")
        page.evaluate("for (const folded of document.querySelectorAll('#empty details')) folded.open = true")
        for width in (1280, 760, 390, 320):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                check_accessible(page)
        page.click("[data-example=sleep_stages]")
        expect(page.locator("#opening [data-document]").first).to_be_visible()
        assert "example=sleep_stages" in page.url


def test_with_the_keyboard_alone(open_page, measured):
    with open_page("/") as page:
        while focused_by_tab(page) != "hearst_kazantseva":
            pass
        page.keyboard.press("Enter")
        until(page, "done")
        page.keyboard.press("w")
        assert page.evaluate("document.activeElement.closest('#report .card') !== null")
        page.locator("#documents tbody a").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#reading [data-unit]").first).to_be_visible()
        page.keyboard.press("w")
        expect(page.locator("#card h3")).to_be_visible()
        page.focus("#map")
        page.keyboard.press("Tab")
        assert focused(page) == "reading"
        page.keyboard.press("Enter")
        assert focused(page) == "card"
        first = page.inner_text("#card h3")
        page.keyboard.press("j")
        expect(page.locator("#card h3")).not_to_have_text(first)
        assert focused(page) == "card"
        page.keyboard.press("Escape")
        expect(page.locator("#card .card")).to_have_count(0)
        assert focused(page) == "reading"
        page.focus("#alpha")
        page.keyboard.press("Control+a")
        with measured_anew(page):
            page.keyboard.type("2")
        assert focused(page) == "alpha"
        page.focus("#save summary")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        saved = json.loads(download.value.path().read_text(encoding="utf-8"))
        assert saved == measured("hearst_kazantseva", "--alpha", "2")
        page.keyboard.press("Escape")
        assert focused(page) in ("SUMMARY", "save")


def focused_by_tab(page):
    page.keyboard.press("Tab")
    focused(page)
    return page.evaluate("document.activeElement.dataset.example ?? null")


def test_the_map_is_a_slider_and_letters_can_be_turned_off(open_page):
    with open_page(NOVELS) as page:
        expect(page.locator("#reading [data-unit]").first).to_be_visible()
        slider = page.get_by_role("slider")
        before = slider.get_attribute("aria-valuetext")
        assert re.fullmatch(r"characters [\d,]+ to [\d,]+", before)
        slider.focus()
        page.keyboard.press("End")
        expect(slider).to_have_attribute("aria-valuetext", re.compile(r"to 9,613$"))
        page.keyboard.press("Home")
        expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^characters 0 to"))
        assert focused(page) == "map"
        frame = page.locator("#map rect.window").bounding_box()
        box = slider.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
        expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^characters 4,"))
        moved = page.locator("#map rect.window").bounding_box()
        assert moved["x"] + moved["width"] / 2 == pytest.approx(box["x"] + box["width"] / 2, abs=6)
        assert moved["width"] == pytest.approx(frame["width"], abs=2)
        note = "(event) => (document.body.dataset.isHandled = event.defaultPrevented)"
        page.evaluate(f"addEventListener('keydown', {note})")
        page.uncheck("#letters")
        page.locator("#reading").focus()
        page.keyboard.press("w")
        assert page.evaluate("document.body.dataset.isHandled") == "false"
        assert page.locator("#card .card").count() == 0
        page.keyboard.press("ArrowRight")
        expect(page.locator("#card .card")).to_be_visible()


def test_the_address_keeps_what_is_looked_at(open_page):
    with open_page(f"{NOVELS}&at=66&hide=user3&alpha=2") as page:
        expect(page.locator("#card h3")).to_have_text("Alignment 66 of 243")
        assert page.input_value("#alpha") == "2"
        assert "user3" not in page.inner_text("#reading")
        assert not page.is_checked("[data-annotator=user3]")
        start = int(re.search(r"from=(\d+)", page.url)[1])
        page.select_option("#document", "Emma")
        expect(page.locator("#results-title bdi")).to_have_text("Emma")
        assert "at=" not in page.url
        assert "document=Emma" in page.url
        page.go_back()
        expect(page.locator("#card h3")).to_have_text("Alignment 66 of 243")
        assert page.evaluate("new URLSearchParams(location.search).get('from')") == str(start)
        page.fill("#alpha", "1")
        wait(page, "!location.search.includes('alpha')")
        page.go_back()
        expect(page.locator("#alpha")).to_have_value("2")
        page.go_forward()
        expect(page.locator("#alpha")).to_have_value("1")
        page.locator("#reading [data-alignment='68']").first.click(force=True)
        expect(page.locator("#card h3")).to_have_text("Alignment 68 of 243")
        page.go_back()
        expect(page.locator("#card h3")).to_have_text("Alignment 66 of 243")


def test_wrong_data_are_named_with_their_cure_and_the_former_stay(open_page):
    with open_page(HEARST, refusals=True) as page:
        until(page, "done")
        before = page.inner_text("#results")
        send(page, "bad.csv", BAD)
        message = page.locator("#message")
        expect(message).to_be_visible()
        first, second = message.locator("li").all_inner_texts()
        assert first.startswith("bad.csv, line 2: the unit ends at 3, before its start 5. Swap the bounds")
        assert second.startswith("bad.csv, line 4: the unit ends at 6")
        assert focused(page) == "message"
        assert page.inner_text("#results") == before
        send(page, "long.csv", BAD + "d,ann,9,8,x\n" * 20)
        expect(message).to_contain_text("and 12 more")
        assert message.locator("li").count() == 10
        check_accessible(page)


def test_files_are_called_as_they_are_written(open_page):
    with open_page("/", refusals=True) as page:
        message = page.locator("#message")
        send(page, "Büro [2] {a}.csv", "")
        expect(message).to_contain_text("Büro [2] {a}.csv: the file is empty.")
        send(page, "Büro [2] {a}.csv", BAD)
        expect(message).to_contain_text("Büro [2] {a}.csv, line 2: the unit ends at 3, before its start 5.")
        send(page, "Büro [2] {a}.csv", "document,annotator,start,end,category\nd,ann,0,3,x\nd,bob,0,4,y\n")
        until(page, "done")
        expect(page.locator("#report h1")).to_have_text("Büro [2] {a}")


ODD_UNITS = [
    ("d1", "ann", 0, 4, "PER"),
    ("d1", "bob", 0, 4, "LOC"),
    ("d1", "ann", 6, 9, "LOC"),
    ("d1", "bob", 6, 9, "LOC"),
]
ODD_HEADER = ("text_ref", "person", "first", "last", "what")
ODD_RECORDS = [
    {"text_ref": "d1", "person": who, "marks": [{"b": u[2], "e": u[3], "what": u[4]} for u in ODD_UNITS if u[1] == who]}
    for who in ("ann", "bob")
]
ODD_FILES = {
    "odd.csv": "\n".join(",".join(map(str, row)) for row in (ODD_HEADER, *ODD_UNITS)),
    "odd.txt": "\n".join(";".join(map(str, row)) for row in (ODD_HEADER, *ODD_UNITS)),
    "flat.jsonl": "\n".join(json.dumps(dict(zip(ODD_HEADER, row, strict=True))) for row in ODD_UNITS),
    "nested.json": json.dumps(ODD_RECORDS),
}


@pytest.mark.parametrize("name", ODD_FILES)
def test_columns_that_are_not_recognised_are_asked_for(open_page, name):
    with open_page("/", refusals=True) as page:
        send(page, name, ODD_FILES[name])
        dialog = page.locator("#columns")
        expect(dialog).to_be_visible()
        expect(dialog.locator("li")).to_have_text(["ann marks 0 to 4 as PER, in d1", re.compile("marks .* in d1$")])
        assert not re.search(r"--|setting", dialog.inner_text())
        check_accessible(page)
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.get_by_role("button", name="Measure").click()
        until(page, "done")
        assert "1 document, 2 annotators, 4 units" in page.inner_text("#agreement")
        assert "reading=" in page.url


def rows_of(delimiter, *header, columns=(0, 1, 2, 3, 4), cell=lambda _, value: value):
    """Return a table of `ODD_UNITS` with some of their columns."""
    rows = [[str(cell(column, unit[column])) for column in columns] for unit in ODD_UNITS]
    return "\n".join(delimiter.join(row) for row in (header, *rows))


def as_time(column, value):
    return f"00:0{value}:30" if column in (2, 3) else value


def as_length(column, value):
    return {4: 4, 9: 3}[value] if column == 3 else value


GERMAN = rows_of(";", "Text", "Kodierer", "von", "bis", "Art (für alle)")
READ = ["ann marks 0 to 4 as PER, in d1", "bob marks 0 to 4 as LOC, in d1"]
AWKWARD_FILES = {
    "french.csv": (rows_of(",", "Texte", "Annotateur", "Début", "Fin", "Étiquette").encode(), READ),
    "chinese.csv": (rows_of(",", "文档", "标注者", "开始", "结束", "标签").encode(), READ),
    "bom.txt": (b"\xef\xbb\xbf" + rows_of("\t", "file", "person", "from", "to", "tag").encode(), READ),
    "wide.txt": (
        rows_of("\t", "file", "person", "from", "to", "tag").encode("utf-16"),
        [*READ, "The file is read as UTF-16."],
    ),
    "german.csv": (GERMAN.encode("latin-1"), [*READ, "The file is read as Windows-1252 (Western European)."]),
    "length.csv": (rows_of(",", "doc", "who", "offset", "length", "type", cell=as_length).encode(), READ),
    "unknown.json": (
        json.dumps(
            {"n": 1, "all": [dict(zip(("w", "by", "b", "e", "is"), u, strict=True)) for u in ODD_UNITS]}
        ).encode(),
        READ,
    ),
}


def test_awkward_tables_are_read_by_one_click(open_page):
    with open_page("/", refusals=True) as page:
        dialog = page.locator("#columns")
        for name, (content, read) in AWKWARD_FILES.items():
            page.set_input_files("#files", {"name": name, "mimeType": "text/plain", "buffer": content})
            report = page.locator("#report h1", has_text=name.partition(".")[0])
            expect(page.locator("#columns:visible").or_(report).first).to_be_visible()
            # A table is read at once if no other reading of it gives other numbers.
            if dialog.is_visible():
                expect(dialog.locator("li")).to_have_text(read)
                assert not re.search(r"--|setting", dialog.inner_text())
                page.get_by_role("button", name="Measure").click()
            expect(report).to_be_visible()
            assert "1 document, 2 annotators, 4 units, 2 labels" in page.inner_text("#agreement")
            expect(page.locator("#message")).to_be_hidden()


def test_times_of_a_clock_are_opened_without_a_question(open_page):
    content = rows_of(",", "document", "annotator", "start", "end", "category", cell=as_time).encode()
    with open_page("/", refusals=True) as page:
        page.set_input_files("#files", {"name": "times.csv", "mimeType": "text/plain", "buffer": content})
        expect(page.locator("#report h1")).to_have_text("times")
        assert "1 document, 2 annotators, 4 units, 2 labels" in page.inner_text("#agreement")


def test_files_without_an_annotator_are_asked_for_one_or_name_it(open_page):
    files = [
        {
            "name": f"{name}.csv",
            "mimeType": "text/csv",
            "buffer": "\n".join(["document;debut;fin;etiquette", *rows]).encode(),
        }
        for name, rows in (("ann", ["d1;0;4;PER", "d1;6;9;LOC"]), ("bob", ["d1;0;4;LOC", "d1;6;9;LOC"]))
    ]
    with open_page("/", refusals=True) as page:
        page.set_input_files("#files", files[0])
        expect(page.locator("#columns li")).to_have_text(
            "Choose the column that says who marked a unit. If each annotator has a file, open their files together."
        )
        expect(page.get_by_role("button", name="Measure")).to_be_disabled()
        page.get_by_role("button", name="Cancel").last.click()
        page.set_input_files("#files", files)
        expect(page.locator("#report h1")).to_have_text("2 files")
        assert "1 document, 2 annotators, 4 units, 2 labels" in page.inner_text("#agreement")


def test_files_that_are_no_tables_are_refused_in_words_of_the_page(open_page):
    refused = {
        "picture.png": (
            b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
            "picture.png: it has no annotations that are read. Open",
        ),
        "prose.txt": (b"Only words.\nNo table.\n", "prose.txt: it has no annotations that are read. Open the files of"),
        "book.xlsx": (
            b"PK\x03\x04" + b"\0" * 100,
            "book.xlsx: the workbook cannot be read",
        ),
        "nothing.json": (b"", "nothing.json: the file is empty. Choose a file with units."),
    }
    with open_page("/", refusals=True) as page:
        for name, (content, words) in refused.items():
            page.set_input_files("#files", {"name": name, "mimeType": "text/plain", "buffer": content})
            expect(page.locator("#message")).to_contain_text(words)
            assert not re.search(r"--|setting|gamma-align ", page.inner_text("#message"))


def test_files_of_different_formats_are_opened_together(open_page):
    files = {
        "a.csv": "document,annotator,start,end,category\nd,ann,0,3,x\nd,bob,0,4,y\n",
        "b.jsonl": '{"document": "d", "annotator": "cy", "start": 0, "end": 3, "category": "x"}\n',
    }
    with open_page("/") as page:
        page.set_input_files(
            "#files",
            [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files.items()],
        )
        expect(page.locator("#report h1")).to_have_text("2 files")
        assert "1 document, 3 annotators, 3 units, 2 labels" in page.inner_text("#agreement")


def test_a_guess_for_a_column_can_be_corrected(open_page):
    with open_page("/", refusals=True) as page:
        send(page, "one.csv", "who,begin,finish,who2\nx,0,4,ann\ny,0,5,bob\n")
        dialog = page.locator("#columns")
        expect(dialog).to_be_visible()
        page.get_by_label("What begin is").select_option("")
        expect(dialog.locator("li")).to_have_text("Choose the column of the start of a unit.")
        expect(page.get_by_role("button", name="Measure")).to_be_disabled()
        page.get_by_label("What begin is").select_option("start")
        page.get_by_label("What who is").select_option("category")
        page.get_by_label("What who2 is").select_option("annotator")
        expect(dialog.locator("li").first).to_have_text("ann marks 0 to 4 as x")
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(page.locator("#message")).to_be_visible()


def odd_text():
    """Return a table with names of columns that mean nothing: four interviews, two coders, 80 units."""
    rows = [
        (f"iv{document}", coder, 10 * unit + document, 10 * unit + 4 + (unit + document) % 5, ("GOOD", "BAD")[unit % 2])
        for document in range(4)
        for coder in ("mira", "jonas")
        for unit in range(10)
    ]
    return "\n".join(";".join(map(str, row)) for row in (("V1", "V2", "V3", "V4", "V5"), *rows)), rows


def test_the_form_has_what_the_program_proposes_and_a_change_is_measured(open_page):
    text, _ = odd_text()
    with open_page("/", refusals=True) as page:
        send(page, "odd.csv", text)
        dialog = page.locator("#columns")
        expect(dialog).to_be_visible()
        expect(page.locator("#columns-why")).to_contain_text("It would be 80 units")
        expect(page.get_by_label("What V3 is")).to_have_value("start")
        expect(page.get_by_label("What V4 is")).to_have_value("end")
        check_accessible(page)
        page.get_by_label("What V5 is").select_option("")
        page.get_by_label("What V1 is").select_option("document")
        page.get_by_label("What V2 is").select_option("annotator")
        page.get_by_label("What V5 is").select_option("category")
        page.get_by_role("button", name="Measure").click()
        until(page, "done")
        assert "4 documents, 2 annotators each, 80 units, 2 labels" in page.inner_text("#agreement")
        reading = parse_qs(urlsplit(page.url).query)["reading"][0]
        roles = {"document": "V1", "annotator": "V2", "start": "V3", "end": "V4", "category": "V5"}
        assert json.loads(json.loads(reading)["map"])["roles"] == roles


def test_a_map_of_a_tree_is_a_form_with_a_choice_of_readings(open_page):
    _, rows = odd_text()
    tree = {}
    for document, coder, start, end, label in rows:
        tree.setdefault(document, {}).setdefault(coder, []).append({"b": start, "e": end, "k": label})
    with open_page("/", refusals=True) as page:
        send(page, "tree.json", json.dumps(tree))
        dialog = page.locator("#columns")
        expect(dialog).to_be_visible()
        check_accessible(page)
        start = dialog.get_by_label("start", exact=True)
        assert start.input_value().endswith(".b")
        annotator = dialog.get_by_label("annotator", exact=True)
        if annotator.input_value() != "{}{key}":
            dialog.get_by_label("Proposal", exact=True).select_option("1")
        assert annotator.input_value() == "{}{key}"
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.get_by_role("button", name="Measure").click()
        until(page, "done")
        assert "4 documents, 2 annotators each, 80 units, 2 labels" in page.inner_text("#agreement")


def test_tokens_beside_characters_are_opened_together(open_page):
    files = {
        "d.conll": "Anna B-PER\nsings O\n",
        "jonas.jsonl": '{"document": "d", "annotator": "jonas", "text": "Anna sings", "spans": [[0, 4, "PER"]]}\n',
    }
    with open_page("/", refusals=True) as page:
        page.set_input_files(
            "#files",
            [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files.items()],
        )
        expect(page.locator("#report h1")).to_have_text("2 files")
        assert "1 document, 2 annotators, 2 units, 1 label" in page.inner_text("#agreement")


def test_messages_name_settings_as_the_page_does(open_page):
    with open_page("/", refusals=True) as page:
        units = [{"annotator": name, "start": 0, "end": 9, "category": "x"} for name in ("ann", "bob")]
        send(page, "long.jsonl", json.dumps({"document": "d", "text": "short", "units": units}))
        message = page.locator("#message")
        setting = "“Units outside their document: make it longer”"
        expect(message).to_contain_text(f"take such units as they are with {setting}")
        expect(message).not_to_contain_text("--")
        page.get_by_role("button", name=f"Set {setting}").click()
        until(page, "done")
        expect(message).to_be_hidden()
        expect(page.locator("#outside")).to_have_value("extend")


def test_a_wrong_setting_is_told_at_its_field(open_page):
    with open_page(HEARST, refusals=True, width=390) as page:
        until(page, "done")
        before = page.inner_text("#results")
        page.click("#settings summary")
        page.fill("#alpha", "much")
        field = page.locator("#alpha[aria-invalid=true]")
        expect(field).to_be_visible()
        expect(page.locator("#alpha-note")).to_have_text("'much' is not a number")
        assert page.inner_text("#results") == before
        page.fill("#alpha", "1")
        until(page, "done")
        expect(field).to_have_count(0)


def test_an_alignment_that_takes_long_says_how_near_the_best_so_far_is(open_page, client, tmp_path):
    hard = "d2t-football|iaa|gemma2|0"
    ga.write(ga.read(CORPORA / "llm_span_d2t_iaa").select(documents=[hard]), tmp_path / "hard.jsonl")
    with (tmp_path / "hard.jsonl").open("rb") as file:
        kept = client.post("/api/v1/data", files={"file": ("hard.jsonl", file)}).json()["data"]
    # a precision that takes long: the measure goes on after the search, on any machine
    address = f"/?data={kept}&document={quote(hard)}&precision=0.0002"
    with open_page(address, refusals=True) as page:
        told = page.locator("#slow")
        expect(told).to_be_visible()
        expect(page.locator("#annotations[aria-busy=true] #reading [data-unit]").first).to_be_visible()
        assert page.locator("#reading [data-unit]").count() == 73  # while the search goes on
        expect(told).to_have_text(
            re.compile(r"^35 annotators: the best alignment takes time; the best so far has a gap of [\d.]+\u202f%$")
        )
        before = told.inner_text()
        # the search ends after a number of steps: a quick machine may end it before it tells of a second gap
        expect(told).to_be_hidden()
        gaps = [
            float(re.search(r"gap (?:of )?([\d.]+)", text)[1])
            for text in (before, page.locator("#results").inner_text())
        ]
        assert 0 < gaps[1] < gaps[0] < 100
        page.select_option("#document", "")
        expect(page.locator("#opening [data-document]")).to_have_count(1)
        assert page.evaluate("document.querySelector('#running progress').position") < 1  # work goes on
        page.goto("about:blank")


def test_a_running_measure_is_cancelled_and_continued(open_page):
    with open_page(f"{NOVELS}&precision=0.0002") as page:
        expect(page.locator("#state")).to_contain_text("of about")
        expect(page.locator("#summary")).to_have_text(re.compile("^12 documents, corpus γ ≈ 0.8[78]$"))
        expect(page.locator("#results .v").first).to_have_text(re.compile(r"^≈ 0\.\d\d$"))
        page.click("#cancel")
        until(page, "cancelled")
        expect(page.locator("#state")).to_have_text(re.compile(r"^Cancelled after [\d,]+ samples$"))
        expect(page.locator("#summary")).to_contain_text("≈")
        page.click("#continue")
        until(page, "first")
        expect(page.locator("#state")).to_contain_text("of about")


def test_names_are_never_markup(open_page):
    with open_page("/") as page:
        page.on("dialog", lambda _: pytest.fail("a name was run"))
        send(page, "<b>name.csv", HOSTILE)
        until(page, "done")
        assert page.locator("main img, header b, header img").count() == 0
        assert page.locator("#report b:not(.side b, .three b, .notes b), #report img").count() == 0
        page.select_option("#document", "<b>d</b>")
        expect(page.locator("#tools")).to_contain_text("<img src=x onerror=alert(1)>")
        page.keyboard.press("w")
        expect(page.locator("#card .card")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        page.select_option("#document", "lone")
        expect(page.locator(".facts")).to_contain_text("none: one annotator alone")
        expect(page.locator("#results tbody tr").first).to_contain_text("NA")
        page.set_viewport_size({"width": 320, "height": 900})
        wait(page, "document.documentElement.scrollWidth <= 320")


def test_data_that_are_gone_are_asked_for_again(open_page):
    with open_page("/?data=0123456789abcdef&alpha=2&hide=bob", refusals=True) as page:
        expect(page.locator("#message")).to_contain_text("Open the file again to see this.")
        assert page.input_value("#alpha") == "2"
        send(page, "good.csv", "document,annotator,start,end,category\nd,ann,0,3,x\nd,bob,0,4,y\n")
        until(page, "done")
        assert page.input_value("#alpha") == "2"
        assert "hide=bob" in page.url
        assert "0123456789abcdef" not in page.url


TWO = "document,annotator,start,end,category\nd,ann,0,3,x\nd,bob,0,4,y\ne,ann,0,3,x\ne,bob,0,4,x\n"


def measures_of(page):
    return [url for url in page.requests if MEASURE.search(url)]


@pytest.mark.parametrize("name", ["", "d"])
def test_a_reload_shows_the_result_that_is_kept(open_page, name):
    with open_page("/") as page:
        send(page, "two.csv", TWO)
        until(page, "done")
        with measured_anew(page):
            page.fill("#seed", "7")
        page.select_option("#document", name)
        shown = "#results tbody" if name else "#report .verdict"
        expect(page.locator(shown)).to_be_visible()
        before = [page.inner_text(each) for each in (shown, "#state")]
        assert len(measures_of(page)) == 2
        page.reload()
        until(page, "done")
        expect(page.locator(shown)).to_be_visible()
        assert [page.inner_text(each) for each in (shown, "#state")] == before
        with measured_anew(page):
            page.fill("#seed", "8")
        assert len(measures_of(page)) == 3


def test_a_reload_offers_to_measure_again_if_the_result_is_lost(open_page):
    with open_page("/") as page:
        send(page, "two.csv", TWO)
        until(page, "done")

        def lose(route):
            answer = route.fetch()
            content = answer.json()
            content["corpus"] |= {"job": None, "has_lost_result": True}
            route.fulfill(response=answer, json=content)

        page.route("**/page/show?*parts=corpus*", lose)
        page.reload()
        expect(page.locator("#state")).to_have_text("The values are no longer kept")
        assert len(measures_of(page)) == 1
        check_accessible(page)
        page.get_by_role("button", name="Measure again").click()
        until(page, "done")
        assert len(measures_of(page)) == 2


def test_a_state_of_a_job_that_is_refused_starts_no_measurement(open_page):
    refusal = {"error": {"code": "busy", "message": "the service has too much to do"}}
    with open_page("/", refusals=True) as page:
        page.route("**/api/v1/jobs/*/events", lambda route: route.fulfill(content_type="text/event-stream", body=""))
        page.route(re.compile(r"/api/v1/jobs/[^/]+$"), lambda route: route.fulfill(status=429, json=refusal))
        send(page, "two.csv", TWO)
        expect(page.locator("#message")).to_contain_text("The service has too much to do.")
        expect(page.locator("#state")).to_have_text("Not measured")
        assert len(measures_of(page)) == 1
        page.unroute_all()
        page.get_by_role("button", name="Continue").click()
        until(page, "done")
        assert len(measures_of(page)) == 2


@pytest.mark.release
def test_a_program_that_was_killed_and_started_again(running, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    file = tmp_path / "good.csv"
    file.write_text("document,annotator,start,end,category\nd,ann,0,3,x\nd,bob,0,4,y\n")
    with served("--port", port) as client, opened(running, f"{client.base_url}/") as page:
        page.set_input_files("#files", file)
        until(page, "done")
        client.process.send_signal(signal.SIGKILL)
        client.process.wait()
        page.fill("#seed", "5")
        message = page.locator("#message")
        expect(message).to_contain_text(
            f"gamma-align serve has stopped. Start it again: gamma-align serve --port {port}"
        )
        assert page.inner_text("#results .v") != ""
        with served("--port", port):
            expect(message).to_contain_text("Open good.csv again to see this.")
            page.set_input_files("#files", file)
            until(page, "done")
            assert "seed=5" in page.url
            assert page.inner_text("#results .v") != ""


@pytest.mark.release
def test_an_example_is_measured_again_after_a_restart(running):
    with served() as client:
        port = client.base_url.port
    with served("--port", port) as client, opened(running, f"{client.base_url}{HEARST}") as page:
        expect(page.locator("body[data-state=done]")).to_be_attached()
        value = page.locator("#results .v").first.inner_text()
        client.process.kill()
        page.locator("#document").select_option(index=1)
        expect(page.locator("#message")).to_contain_text("has stopped")
        with served("--port", port):
            expect(page.locator("#message")).to_be_hidden()
            expect(page.locator("body[data-state=done]")).to_be_attached()
            page.locator("#document").select_option(index=0)
            expect(page.locator("#results .v").first).to_have_text(value)
            expect(page.locator("#message")).to_be_hidden()
