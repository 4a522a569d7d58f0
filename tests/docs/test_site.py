"""The pages are built without a warning, all links lead to something, and the search finds what people ask for."""

from __future__ import annotations

import html
import itertools
import os
import re
import subprocess
import sys
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from browser import browser, opened
from places import ROOT
from process_tree import wait_until

import gamma_align as ga
from gamma_align.apps.cli._parser import HELP, MORE
from gamma_align.apps.cli._program import _COMMANDS

FOLDERS = ("corpora", "docs", "gamma_align", "tests", "tools")
PAGES = [
    page.relative_to(ROOT).as_posix()
    for page in sorted([*ROOT.glob("*.md"), *itertools.chain(*((ROOT / name).rglob("*.md") for name in FOLDERS))])
]

DRAWN_FOR_A_BUILD = [("docs/paper/paper.md", "results.svg")]  # by docs/paper/build_paper.py


class Links(HTMLParser):
    """The addresses that a page of HTML refers to or loads, and the anchors that it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: set[str] = set()
        self.loaded: set[str] = set()  # scripts, styles, fonts, pictures
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        addresses = {attributes[name] for name in ("href", "src") if attributes.get(name)}
        self.addresses |= addresses
        self.loaded |= addresses if tag != "a" else set()
        self.anchors |= {attributes["id"]} if "id" in attributes else set()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the pages of the site, which one process builds: it writes pages of objects into docs/, too."""
    pytest.importorskip("sphinx")
    temporary = tmp_path_factory.getbasetemp()
    folder = (temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary) / "site"
    printed = folder.with_suffix(".txt")
    try:
        folder.mkdir()
    except FileExistsError:
        wait_until(printed.exists)  # another process builds
    else:
        command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", "docs", ".", str(folder)]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        unfinished = printed.with_suffix(".unfinished")
        unfinished.write_text(f"{run.returncode} {run.stderr}", encoding="utf-8")
        unfinished.replace(printed)
    assert printed.read_text(encoding="utf-8") == "0 "
    return {page.resolve(): Links(page) for page in folder.rglob("*.html")}


def test_each_link_of_the_built_site_leads_to_a_file_or_an_anchor(site):
    broken = []
    for page, links in site.items():
        for address in links.addresses:
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            anchors = site[target].anchors if target in site else set()
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors):
                broken.append((page.name, address))
    assert broken == []


@pytest.fixture(scope="module")
def root(site):
    return min(site, key=lambda page: len(page.parts)).parent


def test_the_site_loads_nothing_from_another_host(site, root):
    loaded = {address for links in site.values() for address in links.loaded if urlsplit(address).netloc}
    styles = [*root.rglob("*.css")]
    assert styles
    in_styles = {
        address
        for style in styles
        for address in re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", style.read_text(encoding="utf-8"))
        if urlsplit(address).netloc
    }
    assert loaded | in_styles == set()


def test_each_public_name_has_a_page(site):
    objects = {page.name: links.anchors for page, links in site.items() if page.parent.name == "objects"}
    on_pages = set().union(*objects.values())
    assert {f"gamma_align.{name}" for name in ga.__all__} - {
        "gamma_align.__version__",
        "gamma_align.distances",
    } <= on_pages
    assert len({name.lower() for name in objects}) == len(ga.__all__) - 2  # no two are one file on Windows


@pytest.mark.parametrize("command", _COMMANDS)
def test_a_page_lists_all_options_of_its_command(site, command):
    parser = pytest.importorskip("command_options", reason="needs Sphinx").parser_of(command)
    sections = [section for page in (HELP, MORE) for section in parser._sections(page)]
    options = {option for title, actions in sections for a in actions if title != "help" for option in a.option_strings}
    anchors = next(links.anchors for page, links in site.items() if page.match(f"commands/{command.split()[0]}.html"))
    prefix = f"cmdoption-{parser.prog.replace(' ', '-')}-"
    assert {f"{prefix}{option.lstrip('-')}" for option in options} <= {anchor.lower() for anchor in anchors}


def test_formulas_are_mathml(root):
    mathematics = (root / "docs/understand/mathematics.html").read_text(encoding="utf-8")
    assert "<mfrac>" in mathematics
    assert not re.search(r"\\(?:frac|delta|gamma)\b", mathematics)


def test_evidence_that_pages_link_to_is_on_the_site(site):
    names = {page.name for page in site}
    assert {"gamma.html", "coverage.html", "paired.html"} <= names
    evidence = next(links for page, links in site.items() if page.match("evidence/coverage.html"))
    assert "../../tools/bench/results/coverage.html" in {address.partition("#")[0] for address in evidence.addresses}


def test_pages_and_readme_install_the_same_way():
    """{{ install }} and README.md change at the first release, in one line each."""
    source = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    command = re.search(r'^INSTALL = "`pip install (\S+)`', source, re.MULTILINE)[1]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"pip install --quiet {command} &&" in readme


def test_pages_name_a_checkout_in_the_substitution_alone():
    """Commands for an extra are true before and after the release: they add to the installation that there is."""
    pages = [page for page in PAGES if page.startswith("docs/")]
    text = {page: (ROOT / page).read_text(encoding="utf-8") for page in pages}
    assert [page for page in pages if re.search(r"pip install (--\S+ )*('?\.\[|gamma-align)", text[page])] == []


@pytest.mark.parametrize("name", PAGES)
def test_files_linked_in_the_repository_exist(name):
    text = re.sub(r"^```.*?^```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`\n]*\]\([^`\n]*`", "", text)  # links that are shown, as code
    targets = [target for target in re.findall(r"\]\(([^)#\s]+)", text) if not urlsplit(target).scheme]
    targets = [target for target in targets if (name, target) not in DRAWN_FOR_A_BUILD]
    assert [target for target in targets if not ((ROOT / name).parent / target).exists()] == []


# ------------------------------------------------------------------------------------------------- paths to answers

PATHS = [
    tuple(line.split("\t"))
    for line in Path(ROOT, "tests", "docs", "paths_to_answers.tsv").read_text(encoding="utf-8").splitlines()
]
"""A question, the pages on the way to its answer from the front page, and what the first screen there says."""
MAX_CLICKS = 3
FIRST_SCREEN = 1_600  # characters of text: about what a window of 1280 × 900 shows


def article(page):
    """Return the HTML of the content of a page, without margins."""
    return re.search(r"<article.*?</article>", page.read_text(encoding="utf-8"), re.DOTALL)[0]


def text_of(content):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", content)).split())


def clicks(page):
    """Return the pages that are one click away: by links of the content, or by the parts of the site in the margin."""
    parts = re.findall(r'<li class="toctree-l1[^"]*"><a [^>]*href="([^"#]+)', page.read_text(encoding="utf-8"))
    links = re.findall(r'href="([^"#]+)', article(page))
    return {(page.parent / unquote(link)).resolve() for link in [*parts, *links] if not urlsplit(link).scheme}


@pytest.mark.parametrize(("question", "steps", "first_screen"), PATHS, ids=[question for question, _, _ in PATHS])
def test_path_leads_from_the_front_page_to_the_answer(question, steps, first_screen, root):
    page, anchor = root / "docs" / "index.html", ""
    assert 1 <= len(steps.split()) <= MAX_CLICKS
    for step in steps.split():
        name, _, anchor = step.partition("#")
        target = root / "docs" / f"{name}.html"
        assert target.resolve() in clicks(page), f"no link from {page.name} to {target}"
        page = target
    content = article(page)
    if anchor:
        content = content[content.index(f'id="{anchor}"') :].partition(">")[2]
    assert first_screen in text_of(content)[:FIRST_SCREEN], question


def test_twenty_questions_have_a_path():
    assert len({question for question, _, _ in PATHS}) == 20


# The questions were written by somebody who had read neither the documentation nor the code.
FORUM = [
    tuple(line.split("\t"))
    for line in Path(ROOT, "tests", "docs", "forum_questions.tsv").read_text(encoding="utf-8").splitlines()
]

WORDS = [("tolerance", "look_up/glossary"), ("label studio export", "do/label_studio")]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def search(root):
    """Return the names of the first pages that the site finds, each with the place in it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with browser() as running:

            def found(words, most=3):
                address = f"http://127.0.0.1:{server.server_port}/search.html?q={quote(words)}"
                with opened(running, address) as page:
                    page.wait_for_selector("#search-results h2")
                    page.wait_for_selector("#search-results li > a")
                    links = page.eval_on_selector_all(
                        "#search-results li > a", "all => all.map((link) => link.pathname + link.hash)"
                    )
                    return [link.removeprefix("/docs/").replace(".html", "") for link in links[:most]]

            yield found
        server.shutdown()


def without_places(found):
    return {each.split("#")[0] for each in found}


def test_questions_of_forums_lead_to_their_page(search):
    lost = [question for question, pages in FORUM if not {*pages.split()} & without_places(search(question))]
    assert len(FORUM) == 20
    assert len(lost) <= 4, lost


def test_a_page_of_many_questions_is_opened_at_the_one_asked(search):
    places = search("did agreement improve after the annotation guidelines were revised")
    assert "questions#did-agreement-improve-after-we-revised-the-guidelines" in places


@pytest.mark.parametrize(("words", "page"), WORDS)
def test_pages_with_all_words_are_among_the_first(search, words, page):
    assert page in without_places(search(words, most=5))
