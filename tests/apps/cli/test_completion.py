"""Completion in the shell: asked for as bash does, and as zsh and fish do, whose code for it is argcomplete's."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from command_line import in_a_process, run

from gamma_align.reading.formats import formats

pytest.importorskip("argcomplete")

# what bash does when Tab is pressed: the words up to the cursor, and the function that `complete` has registered
TYPED = r"""
eval "$(gamma-align --completion bash)"
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
eval "COMP_WORDS=($1)"
[[ $1 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
registered=$(complete -p gamma-align)
function=${registered#*-F } function=${function%% *}
$function gamma-align "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def environment(tmp_path):
    """Return an environment with the command on its path, which says which modules are imported."""
    program = tmp_path / "bin" / "gamma-align"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -X importtime -m gamma_align.apps.cli "$@" 2>"{tmp_path}/imports"\n'
    )
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def completed(environment, tmp_path):
    def completed(line):
        """Return what bash offers after this line."""
        program = ["bash", "--norc", "-c", TYPED, "bash", line]
        done = subprocess.run(program, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        return [word.rstrip() for word in done.stdout.splitlines()]

    return completed


@pytest.mark.surfaces
def test_subcommands_are_completed(completed):
    assert completed("gamma-align me") == ["measure"]
    assert completed("gamma-align c") == ["compare", "consensus", "ceiling", "convert", "curve"]


@pytest.mark.surfaces
def test_options_are_completed(completed):
    assert completed("gamma-align --co") == ["--completion"]
    assert completed("gamma-align measure --pre") == ["--precision", "--precision-of"]
    assert completed("gamma-align measure x.csv --json --help") == ["--help", "--help-reading", "--help-more"]
    assert "--csv" not in completed("gamma-align measure x.csv --json --")


@pytest.mark.surfaces
def test_choices_and_names_of_formats_are_completed(completed):
    assert completed("gamma-align measure x.csv --sort ") == ["name", "share", "value"]
    assert completed("gamma-align align --conventions a") == ["authors"]
    assert completed("gamma-align --completion ") == ["bash", "zsh", "fish"]
    assert completed("gamma-align convert a b --to ") == list(formats())
    assert completed("gamma-align measure --format j") == ["jams", "jsonl"]


@pytest.mark.surfaces
def test_paths_are_completed(completed, tmp_path):
    (tmp_path / "two words.csv").touch()
    (tmp_path / "twofold").mkdir()
    assert sorted(completed("gamma-align measure tw")) == [r"two\ words.csv", "twofold/"]
    assert completed("gamma-align align --samples 3 -o twof") == ["twofold/"]
    assert sorted(completed("gamma-align items --taxonomy two")) == [r"two\ words.csv", "twofold/"]


@pytest.mark.surfaces
def test_completion_imports_no_numpy(completed, tmp_path):
    for line in ("gamma-align m", "gamma-align measure --s", "gamma-align measure --sort "):
        assert completed(line)
        imported = [line.rpartition("|")[2].strip() for line in (tmp_path / "imports").read_text().splitlines()]
        assert "argcomplete" in imported
        assert "numpy" not in imported


@pytest.mark.parametrize(("shell", "words"), [("zsh", "compdef"), ("bash", "complete "), ("fish", "commandline -cp")])
def test_each_shell_has_its_code(shell, words):
    done = run("--completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert words in done.stdout
    assert "gamma-align" in done.stdout


@pytest.mark.surfaces
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_words_with_their_help(shell, tmp_path):
    # what argcomplete's code for them sets; the shells themselves are not everywhere
    line = "gamma-align measure --sor"
    answer = tmp_path / "answer"
    asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_SHELL": shell, "_ARGCOMPLETE": "1"}
    asked["_ARGCOMPLETE_SUPPRESS_SPACE"] = "1"
    separators = {"zsh": {"_ARGCOMPLETE_IFS": "\013"}, "fish": {"_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_DFS": "\t"}}
    done = in_a_process(env={**os.environ, **asked, **separators[shell], "_ARGCOMPLETE_STDOUT_FILENAME": str(answer)})
    assert done.returncode == 0
    assert answer.read_text(encoding="utf-8").startswith("--sort:order of" if shell == "zsh" else "--sort\torder of")


def test_without_the_extra_the_command_to_install_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    done = run("--completion", "bash")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "pip install 'gamma-align[completion]'" in done.stderr
