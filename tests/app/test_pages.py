"""The pages: the seed lesson with its snippet and quiz, under any base path, kept apart from what is not there."""

from __future__ import annotations

import html.parser
import json
from pathlib import Path
from urllib.parse import urljoin

import pytest
from markupsafe import escape

from app.assets import NotBuilt, compressed
from app.examples.gallery import gallery
from app.lessons.lesson import CONTENTS, FOLDER, lessons
from app.main import create_app
from app.pages import code_spans
from app.settings import Settings

from .conftest import CountingRunner, Exchange


class Addresses(html.parser.HTMLParser):
    """Collects every address that a page refers to, and the text of its inline scripts by type."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.scripts: list[str | None] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        self.found += [value for name in ("href", "src", "runs", "trace") if (value := named.get(name))]
        if tag == "script" and "src" not in named:
            self.scripts.append(named.get("type"))


@pytest.mark.parametrize("path", ["/", "/lessons", "/lessons/dynamic-computation-graph", "/play", "/docs"])
def test_a_page_needs_nothing_from_elsewhere_and_no_inline_code(ask: Exchange, path: str) -> None:
    answer = ask("GET", path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    page = Addresses()
    page.feed(answer.text)
    assert page.found
    assert not [address for address in page.found if address.startswith(("/", "http", "//"))]
    assert set(page.scripts) <= {"application/json"}
    assert " style=" not in answer.text
    assert " onclick=" not in answer.text


@pytest.mark.parametrize("path", ["/", "/lessons/dynamic-computation-graph"])
def test_a_lesson_shows_its_snippet_and_can_fetch_its_trace(ask: Exchange, path: str) -> None:
    text = ask("GET", path).text
    assert "a = torch.tensor(3.0, requires_grad=True)" in text
    page = Addresses()
    page.feed(text)
    (trace,) = (address for address in page.found if "traces/" in address)
    answer = ask("GET", path.rpartition("/")[0] + "/" + trace)
    assert answer.status_code == 200
    assert answer.json() == {"code": lessons()["dynamic-computation-graph"].snippet}
    assert "immutable" in answer.headers["Cache-Control"]


def links(ask: Exchange, path: str) -> list[str]:
    """Every address on a page, from the site's root."""
    page = Addresses()
    page.feed(ask("GET", path).text)
    return [urljoin(path, address) for address in page.found]


def test_the_list_leads_to_every_lesson_and_each_lesson_to_its_neighbours(ask: Exchange) -> None:
    pages = [f"/lessons/{slug}" for slug in lessons()]
    assert [address for address in links(ask, "/lessons") if address in pages] == pages
    for number, page in enumerate(pages):
        around = pages[max(0, number - 1) : number] + pages[number + 1 : number + 2]
        assert [address for address in links(ask, page) if address in pages] == around


def test_every_lesson_has_its_trace(ask: Exchange) -> None:
    for slug, lesson in lessons().items():
        (trace,) = (address for address in links(ask, f"/lessons/{slug}") if "/traces/" in address)
        assert ask("GET", trace).json() == {"code": lesson.snippet}


def test_no_lesson_file_is_left_out_of_the_contents() -> None:
    assert sorted(lessons()) == sorted(file.stem for file in FOLDER.glob("*.toml") if file != CONTENTS)


def test_claims_are_shown_as_their_values_and_leave_no_braces(ask: Exchange) -> None:
    text = ask("GET", "/lessons/gradients-accumulate").text
    assert "The first turn stores 8." in text
    assert "@ loss.backward()" not in text


@pytest.mark.parametrize("path", ["/lessons/none", "/traces/none.json", "/static/none.js"])
def test_what_is_not_there_is_a_404_problem(ask: Exchange, path: str) -> None:
    answer = ask("GET", path)
    assert (answer.status_code, answer.json()["status"]) == (404, 404)


def test_a_person_is_told_what_is_not_there_on_a_page_that_leads_on(ask: Exchange) -> None:
    answer = ask("GET", "/lessons/none", headers={"Accept": "text/html,*/*;q=0.8"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "There is no lesson of that name." in answer.text
    assert "../lessons" in answer.text


@pytest.mark.parametrize("path", ["/", "/docs", "/healthz"])
def test_a_page_can_be_asked_for_its_headers_only(ask: Exchange, path: str) -> None:
    assert ask("HEAD", path).status_code == 200


def test_only_the_embedded_player_may_stand_in_frames_and_only_where_the_setting_says(ask: Exchange) -> None:
    assert "frame-ancestors 'none'" in ask("GET", "/play").headers["Content-Security-Policy"]
    answer = ask("GET", "/embed?lesson=dynamic-computation-graph")
    assert answer.status_code == 200
    assert "frame-ancestors *" in answer.headers["Content-Security-Policy"]
    assert "set-cookie" not in answer.headers
    assert 'src="./traces/' in answer.text
    assert "connect-src 'self'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("lesson=none", 404),
        ("src=https://elsewhere.example/t.json", 422),
        ("src=../../x.json", 422),
        ("src=traces/a.json", 200),
    ],
)
def test_the_embedded_player_takes_lessons_and_traces_of_this_site_only(ask: Exchange, query: str, status: int) -> None:
    answer = ask("GET", f"/embed?{query}", headers={"Accept": "text/html"})
    assert answer.status_code == status
    assert "frame-ancestors *" in answer.headers["Content-Security-Policy"]  # else a frame shows nothing of a refusal


def test_a_teacher_finds_in_the_reference_how_a_player_gets_into_a_page(ask: Exchange) -> None:
    text = ask("GET", "/docs").text
    site = "http://backplay"
    assert f'&lt;iframe src="{site}/embed?lesson=dynamic-computation-graph#step=28"' in text
    assert f'&lt;script type="module" src="{site}/player.js"&gt;' in text
    assert 'href="#embed"' in text


def test_the_embedded_player_leads_to_its_lesson(ask: Exchange) -> None:
    assert 'href="./lessons/views"' in ask("GET", "/embed?lesson=views").text
    assert 'href="./play"' in ask("GET", "/embed?src=traces/a.json").text


def test_a_lesson_that_is_misspelt_is_answered_with_the_one_that_is_meant(ask: Exchange) -> None:
    answer = ask("GET", "/embed?lesson=dynamic-computational-graph")
    assert (answer.status_code, answer.json()["type"]) == (404, "problems/no-such-lesson")
    assert "Do you mean dynamic-computation-graph?" in answer.json()["detail"]


def test_the_playground_starts_with_the_first_example_and_offers_all_of_them(ask: Exchange) -> None:
    text = ask("GET", "/play").text
    assert str(escape(gallery()[0].examples[0].snippet)) in text
    assert all(json.dumps(example.title)[1:-1] in text for topic in gallery() for example in topic.examples)


def test_built_files_may_be_kept_for_ever(ask: Exchange) -> None:
    assert "immutable" in ask("GET", "/static/assets/main-abc.js").headers["Cache-Control"]


def test_built_text_is_compressed_once_and_only_for_who_takes_it(ask: Exchange) -> None:
    address = "/static/assets/main-abc.js"
    compressed.cache_clear()
    plain = ask("GET", address, headers={"Accept-Encoding": "identity"})
    packed = [ask("GET", address, headers={"Accept-Encoding": "gzip, br"}) for _ in range(3)]
    assert "Content-Encoding" not in plain.headers
    for answer in packed:
        assert (answer.headers["Content-Encoding"], answer.content) == ("gzip", plain.content)
        assert answer.headers["Content-Type"] == plain.headers["Content-Type"]
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert "immutable" in answer.headers["Cache-Control"]
    assert compressed.cache_info().misses == 1
    refused = ask("GET", address, headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers
    part = ask("GET", address, headers={"Accept-Encoding": "gzip", "Range": "bytes=0-1"})
    assert (part.status_code, part.content) == (206, plain.content[:2])
    known = ask("GET", address, headers={"Accept-Encoding": "gzip", "If-None-Match": packed[0].headers["ETag"]})
    assert known.status_code == 304


def test_a_page_asks_at_once_for_all_that_its_script_imports(ask: Exchange) -> None:
    text = ask("GET", "/lessons/dynamic-computation-graph").text
    for name in ("player", "lit"):
        assert f'<link rel="modulepreload" href="../static/assets/{name}-abc.js">' in text


def test_other_sites_may_load_the_player_and_traces_but_neither_pages_nor_runs(ask: Exchange) -> None:
    script = ask("GET", "/player.js")
    assert script.text == 'import "./static/assets/standalone-abc.js";\n'
    assert script.headers["Content-Type"].startswith("text/javascript")
    page = Addresses()
    page.feed(ask("GET", "/").text)
    (trace,) = (address for address in page.found if "traces/" in address)
    for shared in (script, ask("GET", "/static/assets/main-abc.js"), ask("GET", f"/{trace}")):
        assert shared.headers["Access-Control-Allow-Origin"] == "*"
        assert shared.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    for kept in (ask("GET", "/play"), ask("POST", "/api/runs", json={"code": "import torch"})):
        assert kept.status_code == 200
        assert "Access-Control-Allow-Origin" not in kept.headers


def test_without_a_build_the_service_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotBuilt, match="make build"):
        create_app(Settings(built=tmp_path), CountingRunner())


def test_backticks_become_code_and_everything_else_stays_text() -> None:
    assert code_spans("`a < b` & <i>") == "<code>a &lt; b</code> &amp; &lt;i&gt;"


def test_the_health_page_tells_the_sandbox_level(ask: Exchange) -> None:
    answer = ask("GET", "/healthz")
    assert json.loads(answer.text) == {"status": "ok", "sandbox": "reduced"}
