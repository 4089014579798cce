"""What surrounds every answer: security headers, request ids, and log lines without source."""

from __future__ import annotations

import json
import logging
from urllib.parse import urljoin

import pytest

from app.envelope import CONTENT_SECURITY_POLICY, relative
from app.logs import JsonFormatter

from .conftest import CountingRunner, Exchange


@pytest.mark.parametrize("path", ["/", "/healthz", "/nowhere", "/docs", "/static/assets/main-abc.js"])
def test_every_answer_carries_the_security_headers(ask: Exchange, path: str) -> None:
    headers = ask("GET", path).headers
    assert headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert len(headers["X-Request-Id"]) == 16


def test_a_failure_carries_them_too(ask: Exchange, runner: CountingRunner) -> None:
    runner.failure = RuntimeError("ours")
    answer = ask("POST", "/api/runs", json={"code": "x"})
    assert (answer.status_code, answer.headers["X-Content-Type-Options"]) == (500, "nosniff")


def test_the_policy_allows_no_inline_script_and_no_other_host() -> None:
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "http" not in CONTENT_SECURITY_POLICY


def test_a_request_is_one_json_line_with_its_id_and_without_source(
    ask: Exchange, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "backplay"):
        answer = ask("POST", "/api/runs?code=hidden_in_query", json={"code": "hidden_in_body = 1"})
    lines = [JsonFormatter().format(record) for record in caplog.records]
    (line,) = (json.loads(line) for line in lines if '"request"' in line)
    assert line["request"] == answer.headers["X-Request-Id"]
    assert (line["method"], line["path"], line["status"]) == ("POST", "/api/runs", 200)
    assert not any("hidden_in" in line for line in lines)


@pytest.mark.parametrize("path", ["/lessons/", "/play/?code=1", "/lessons/hooks/", "/static"])
def test_a_slash_too_many_leads_to_the_page_below_whatever_root_and_host_a_proxy_has(ask: Exchange, path: str) -> None:
    answer = ask("GET", path, headers={"Host": "evil.example"})
    assert answer.status_code == 307
    location = answer.headers["Location"]
    assert "evil" not in location
    wanted, _, query = path.partition("?")
    page = wanted.rstrip("/") + ("/" if wanted == "/static" else "") + (f"?{query}" if query else "")
    assert urljoin(f"https://school.example/tools/backplay{path}", location) == (
        f"https://school.example/tools/backplay{page}"
    )


def test_a_place_that_is_sent_to_is_named_from_where_one_is() -> None:
    assert relative("http://host/a/b?c=d", "/a/b/") == "../b?c=d"
    assert relative("http://host/a/b", "/a/b//") == "../../b"
    assert relative("http://host/a/b/", "/a/b") == "./b/"
