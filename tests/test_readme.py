"""The README stays true: its commands exist, its request works, its files are there, its tables are current."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.lessons.lesson import lessons
from app.lessons.prose import Prose
from app.settings import table
from engine import torch
from engine.trace.play import play
from tests.app.lessons.replay import answer

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line for language, text in BLOCKS if language == "sh" for line in text.replace("\\\n", "").splitlines()]


def test_every_block_is_of_a_kind_that_is_checked_here() -> None:
    assert {language for language, _ in BLOCKS} == {"sh", "mermaid", "python", "toml", "html"}
    assert {shlex.split(command)[0] for command in COMMANDS} == {"make", "curl", "docker"}


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("make")])
def test_each_make_command_is_one_that_make_knows(command: str) -> None:
    done = subprocess.run([*shlex.split(command), "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_docker_commands_build_and_run_the_same_image_on_the_port_it_serves() -> None:
    build, run = (shlex.split(command) for command in COMMANDS if command.startswith("docker"))
    assert build[build.index("-t") + 1] == run[-1]
    assert f"EXPOSE {run[run.index('-p') + 1].partition(':')[2]}" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_request_is_answered_as_the_readme_says(service: httpx.Client) -> None:
    (command,) = (command for command in COMMANDS if command.startswith("curl"))
    words = shlex.split(command)
    header, _, value = words[words.index("-H") + 1].partition(": ")
    address = next(word for word in words if word.startswith("http"))
    answer = service.request(
        words[words.index("-X") + 1],
        "/" + address.split("/", 3)[3],
        headers={header: value},
        content=words[words.index("-d") + 1],
    )
    assert answer.status_code == 200
    trace = json.loads(answer.content)
    assert (trace["outcome"]["status"], trace["stdout"]) == ("ok", "tensor(6.)\n")
    assert {"kind", "text", "span"} <= set(trace["steps"][0])
    assert "MulBackward0" in {node["name"] for node in trace["nodes"]}


def test_the_line_of_a_lesson_reads_as_the_readme_says_and_holds_in_the_lesson_it_is_from() -> None:
    (line,) = (text for language, text in BLOCKS if language == "toml")
    prose = Prose(tomllib.loads(f"line = {line}")["line"])
    assert prose.startswith("Now `w.grad` is 26, ")
    trace = play(lessons()["gradients-accumulate"].snippet)
    assert [answer(trace, claim) for claim in prose.claims] == [26]


def test_the_operator_works_as_the_readme_says() -> None:
    (source,) = (text for language, text in BLOCKS if language == "python")
    declared: dict[str, Any] = {}
    exec(source, declared)
    x = torch.tensor(2.0, requires_grad=True)
    y = declared["cube"](x)
    assert (y.grad_fn.name(), y.grad_fn._saved_self.item()) == ("CubeBackward0", 2.0)
    y.backward()
    assert x.grad.item() == 12.0


def test_the_table_of_settings_is_current() -> None:
    assert table() in README


def test_the_map_shows_every_folder() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    folders = {line.split("/")[0] for line in listed.splitlines() if "/" in line and not line.startswith(".")}
    assert folders == set(re.findall(r"^\| `(\w+)/` \|", README, re.MULTILINE))


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\b(?:engine|app|static|tests)/[\w/.-]+\.\w+", README))))
def test_each_file_that_is_named_is_there(name: str) -> None:
    assert (ROOT / name).is_file(), f"README.md names {name}"
