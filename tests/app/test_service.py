"""The whole service on its real parts: a process, its sandbox, and traces that come out of it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import msgspec
import pytest

from app.lessons.lesson import lessons
from engine.trace.document import Trace
from tools.serving import running

ROOT = Path(__file__).resolve().parents[2]
SEED = lessons()["dynamic-computation-graph"].snippet


def played(service: httpx.Client, code: str) -> Trace:
    """The trace of ``code``, decoded by its own types."""
    answer = service.post("/api/runs", json={"code": code})
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.content, type=Trace)


def test_the_seed_snippet_plays(service: httpx.Client) -> None:
    trace = played(service, SEED)
    assert (trace.outcome.status, trace.stdout) == ("ok", "5.0 3.0\n")
    assert [node.name for node in trace.nodes if node.operator] == ["MulBackward0", "AddBackward0"]
    assert all(step.text for step in trace.steps)
    assert json.loads(service.get("/healthz").text)["sandbox"] in ("full", "container", "reduced")


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("a = (", "error", "SyntaxError"),
        ("import torch\nraise ValueError('mine')", "error", "ValueError"),
        ("import torch\ntorch.no_such_thing", "error", "AttributeError"),
        ("import torch\nprint(torch.erf(torch.tensor(0.5)))", "ok", None),
        ("open('/etc/passwd')", "error", "PermissionError"),
        ("while True: pass", "limit", None),
        ("import torch\nbreakpoint()\nprint('on')", "ok", None),
        ("print('\ud7ff\0')", "error", None),
    ],
)
def test_whatever_a_snippet_does_is_a_trace(service: httpx.Client, code: str, status: str, said: str | None) -> None:
    trace = played(service, code)
    assert trace.outcome.status == status
    assert said is None or trace.outcome.error == said
    assert trace.steps[-1].text


def test_the_same_code_gives_the_same_bytes_with_and_without_the_cache(service: httpx.Client) -> None:
    first, second = (service.post("/api/runs", json={"code": SEED}).content for _ in range(2))
    other = service.post("/api/runs", json={"code": SEED + "\n"}).json()
    assert first == second
    assert {**json.loads(first), "code": None} == {**other, "code": None}


def test_more_than_it_can_run_is_refused_with_a_time_and_never_fails(built: Path) -> None:
    slow = "total = sum(range(10_000_000))"
    with (
        running({"BACKPLAY_BUILT": str(built), "BACKPLAY_RUNNERS": "1", "BACKPLAY_QUEUE_SECONDS": "0.5"}) as client,
        ThreadPoolExecutor(8) as people,
    ):
        answers = list(people.map(lambda n: client.post("/api/runs", json={"code": f"{slow} + {n}"}), range(16)))
        afterwards = client.post("/api/runs", json={"code": "after = 1"})
    assert {answer.status_code for answer in answers} == {200, 503}
    for refused in (answer for answer in answers if answer.status_code == 503):
        assert int(refused.headers["Retry-After"]) >= 1
        assert refused.json()["type"] == "problems/overloaded"
    assert afterwards.status_code == 200


def start(changes: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Start the service with some settings and wait for its end."""
    environment = {**os.environ, "BACKPLAY_PORT": "0", **changes}
    command = [sys.executable, "-m", "app"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_a_bad_setting_ends_it_with_the_reason() -> None:
    done = start({"BACKPLAY_PORT": "http"})
    assert done.returncode == 2
    assert "BACKPLAY_PORT='http'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_ends_it_with_what_to_set() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = start({"BACKPLAY_PORT": port})
    assert done.returncode == 2
    assert f"Cannot listen at 127.0.0.1, port {port}" in done.stderr
    assert "BACKPLAY_PORT" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_host_that_is_none_ends_it_with_what_to_set() -> None:
    done = start({"BACKPLAY_HOST": "nowhere.invalid"})
    assert done.returncode == 2
    assert "BACKPLAY_HOST='nowhere.invalid'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_sandbox_that_cannot_start_ends_it_with_the_reason(built: Path) -> None:
    program = "import sys, engine.sandbox.link as link, app.__main__ as service\nlink._ROOT = '/nowhere'\nsys.exit(service.main())"
    environment = {**os.environ, "BACKPLAY_PORT": "0", "BACKPLAY_BUILT": str(built), "BACKPLAY_RUNNERS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2
    assert "The sandbox cannot start: the zygote has ended" in done.stderr
    assert "asyncio" not in done.stderr  # the zygote's own words are there, ours are a sentence


def test_a_missing_build_ends_it_with_the_command(tmp_path: Path) -> None:
    done = start({"BACKPLAY_BUILT": str(tmp_path), "BACKPLAY_RUNNERS": "1"})
    assert done.returncode == 2
    assert "make build" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_probe_tells_a_healthy_service_from_a_missing_one(service: httpx.Client) -> None:
    port = str(service.base_url.port)
    command = [sys.executable, "-m", "app.probe"]
    there, gone = (
        subprocess.run(
            command, cwd=ROOT, env={**os.environ, "BACKPLAY_PORT": value}, capture_output=True, text=True, check=False
        )
        for value in (port, "1")
    )
    assert (there.returncode, gone.returncode) == (0, 1)
    assert '"sandbox"' in there.stdout
    assert "nobody answers" in gone.stderr


def test_a_stop_does_not_wait_for_a_client_that_never_ends_its_request(built: Path) -> None:
    program = "import sys, app.__main__ as service\nservice.GRACE_SECONDS = 0.2\nsys.exit(service.main())"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {"BACKPLAY_BUILT": str(built), "BACKPLAY_RUNNERS": "1", "BACKPLAY_PORT": str(port)}
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env={**os.environ, **settings}) as process:
        try:
            client = connected(process, port)
            with client:
                client.sendall(
                    b"POST /api/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    b"Content-Length: 99\r\nExpect: 100-continue\r\n\r\n"
                )
                assert client.recv(1024).startswith(b"HTTP/1.1 100")  # the service waits for the body now
                process.terminate()
                assert process.wait(60) == 0
        finally:
            process.kill()


def connected(process: subprocess.Popen[bytes], port: int) -> socket.socket:
    """A connection to the service, once it listens."""
    while process.poll() is None:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise AssertionError("the service has ended")
