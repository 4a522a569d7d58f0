"""A project of Label Studio, on a server that answers as Label Studio 1.23 does: recorded answers, with other tasks."""

import pytest
from label_studio_server import PERSONAL, TOKEN, annotation, label_studio, task

import gamma_align as ga
from gamma_align.apps.follow.label_studio import TOKEN_VARIABLE, Address, LabelStudio

pytestmark = pytest.mark.surfaces


def project_of(server, token=TOKEN, number=7):
    address = Address(f"http://127.0.0.1:{server.server_port}", number)
    return LabelStudio(address, ga.read, {TOKEN_VARIABLE: token})


def test_all_pages_are_read():
    with label_studio(230) as server:
        version = project_of(server).newest()
        assert len(version.corpus) == 230
        assert version.corpus.annotators == ("1", "2")
        assert version.moment == "2026-11-29 11:59:56"
        assert len(server.asked) == 3
        assert server.tokens == {f"Token {TOKEN}"}


def test_a_personal_access_token_is_exchanged():
    with label_studio(3) as server:
        assert len(project_of(server, PERSONAL).newest().corpus) == 3
        assert server.tokens == {"Bearer short.lived.token"}


def test_a_task_that_changes_is_seen_and_nothing_else():
    with label_studio(3) as server:
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
    with label_studio(3) as server:
        project = project_of(server)
        first = project.newest()
        server.fails.append(answer)
        away = project.newest()
        assert away.corpus is first.corpus
        assert "tries again" in away.waiting[0]
        assert project.newest().waiting == ()


def test_a_server_that_is_away_is_waited_for():
    with label_studio(3) as server:
        project = project_of(server)
        project.newest()
    away = project.newest()
    assert len(away.corpus) == 3
    assert "does not answer" in away.waiting[0]


@pytest.mark.parametrize("token", ["wrong", "a.b.c"])
def test_a_wrong_token_is_refused_and_not_shown(token):
    with label_studio(3) as server:
        project = project_of(server, token)
        with pytest.raises(ga.SettingsError, match=TOKEN_VARIABLE) as caught:
            project.newest()
        assert token not in str(caught.value).split()


def test_a_missing_token_and_a_missing_project_are_refused():
    with label_studio(3) as server:
        with pytest.raises(ga.SettingsError, match=TOKEN_VARIABLE):
            project_of(server, "")
        missing = project_of(server, number=8)
        with pytest.raises(ga.SettingsError, match="no project 8"):
            missing.newest()


def test_the_token_is_sent_to_no_other_server():
    with label_studio(3) as server, label_studio(3) as other:
        project = project_of(server)
        server.fails.append((302, {}, [("Location", f"http://127.0.0.1:{other.server_port}/api/tasks")]))
        with pytest.raises(ga.SettingsError, match="another server"):
            project.newest()
        assert other.asked == []


def test_tasks_without_annotations_are_waited_for():
    with label_studio(2) as server:
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
