"""The way of a person through the pages, in a browser: by keyboard and eye, at two widths, light and dark.

Needs Chromium: ``LEGALIR_CHROMIUM``, or one on the path; else these tests are skipped.
"""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import listening, service

from legalir import Collection
from legalir_serve.app import create_app
from legalir_serve.policy import Policy
from legalir_serve.service import Service
from legalir_serve.sheets import Sheets
from legalir_study.sheet import Item, sheet_page

CHROMIUM = os.environ.get("LEGALIR_CHROMIUM") or next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium: install one, or set LEGALIR_CHROMIUM")
sync_api = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

ITEMS = ("lamp", "fee", "gull")
QUESTION = "고시원 방에 창문이 꼭 있어야 하나요?"


def written_sheet(path: Path, collection: str) -> Path:
    """Write a page with three answers to rate."""
    items = [Item(name, f"What of {name}?", "", f"The {name}. [act-1]", ("act-1",), ("act-1",)) for name in ITEMS]
    path.write_text(sheet_page(items, Collection(collection), ["correct"], "Berths"), encoding="utf-8")
    return path


@pytest.fixture(name="address", scope="module")
def served_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the bundled collections, and one with a hostile text, on 127.0.0.1."""
    home = tmp_path_factory.mktemp("home")
    before = os.environ.get("LEGALIR_HOME")
    os.environ["LEGALIR_HOME"] = str(home)
    hostile = service(tmp_path_factory.mktemp("served")).opened("harbour").collection.id
    places = {"firecode": "legalir/firecode", "dated": "legalir/firecode-dated", "harbour": hostile}
    served = Service(places, Policy({"default": "default", "answer": "default % 5 >> quote", "words": "bm25"}))
    app = create_app(served, tools=False, sheets=Sheets([written_sheet(home / "berths.html", hostile)], home / "saved"))
    with listening(app) as address:
        yield address
    if before is None:
        del os.environ["LEGALIR_HOME"]
    else:
        os.environ["LEGALIR_HOME"] = before


@pytest.fixture(name="browser", scope="module")
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_the_way_of_a_person(browser: Any, address: str, tmp_path: Path, width: int, scheme: str) -> None:
    """Who is given only the address finds the provision, why it is there, what it said on a day, and a link to it."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, locale="ko-KR", bypass_csp=True
    )
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)

    def check() -> None:
        """No rule of WCAG that axe knows is broken, and nothing is wider than the window."""
        page.wait_for_load_state()  # What a test waits for may stand in the middle of a page.
        found = axe.Axe().run(page).response["violations"]
        assert [(each["id"], [node["html"][:200] for node in each["nodes"]][:2]) for each in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width, page.evaluate(
            "[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth)"
            ".map(e => e.outerHTML.slice(0, 90))"
        )

    page.goto(address)
    check()
    page.keyboard.press("Tab")  # The link that skips to the content comes first.
    assert page.evaluate("document.activeElement.className") == "skip"
    page.fill("#q", QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(".results")
    check()
    first = page.locator(".results > li").first
    assert "제6조(창문의 설치)" in first.inner_text()
    assert first.locator("mark").count() and first.locator(".chip").count()
    first.locator(".why > a").click()
    page.locator("main summary").first.click()  # The tree is for developers.
    page.wait_for_selector(".tree")
    check()
    page.go_back()
    page.locator(".results h2 a").first.click()
    neighbour = page.locator("#links + .columns a").first
    check()
    neighbour.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "docno=" in url and "vrule-6" not in url)

    # What it said on a day, and a link to it.
    page.goto(f"{address}/?q=과태료+창문&collection=dated&as_of=2023-06-01")
    assert "2023-06-01" in page.locator("[role=status]").inner_text()
    page.locator(".results h2 a").first.click()
    page.wait_for_selector(".facts")
    link = page.url
    assert "as_of=2023-06-01" in link and "collection=dated" in link
    text = page.locator(".text").inner_text()
    page.goto(link)
    assert page.locator(".text").inner_text() == text
    check()
    page.locator("a[href*='/law?']").click()
    page.wait_for_selector(".contents")
    check()

    # The levels side by side, a preview, what changed in a law, a survey.
    page.goto(f"{address}/provision?docno=vdecree-4&collection=firecode")
    page.locator("button.more").first.click()
    assert page.locator(".peek:popover-open a").is_visible()
    check()
    page.keyboard.press("Escape")
    page.locator("a[href*='/levels?']").click()
    page.wait_for_selector(".levels section:nth-child(3)")
    check()
    page.goto(f"{address}/changes?docno=FC05-4&collection=dated")
    assert page.locator("del").count() and page.locator("ins").count()
    check()
    page.goto(f"{address}/survey?q=소화기의+설치기준&collection=firecode")
    for place in range(10):
        page.locator(f"input[name=r{place}]").nth(place % 2).check()
    page.locator("main form button").last.click()
    page.wait_for_selector("meter")
    check()

    page.goto(f"{address}/?q={QUESTION}&collection=firecode")
    page.locator("a.live").click()
    page.wait_for_selector(".citation")
    assert "live" not in page.url and "/answer?" in page.url  # The address is that of the answer, without its steps.
    page.locator(".citation").first.focus()
    assert "제6조" in page.locator(".preview").inner_text()
    check()
    page.keyboard.press("Escape")
    assert not page.locator(".preview").is_visible()
    page.locator(".citation").first.click()
    page.wait_for_url(lambda url: "#source-" in url)
    check()
    page.goto(f"{address}/verify")
    page.fill("#text", "밀집영업장 화재안전 특별법 시행규칙 제6조, 제600조")
    page.locator("main button").click()
    page.wait_for_selector(".checked a.right")
    check()
    page.goto(f"{address}/compare?q={QUESTION}&other=bm25")
    assert page.locator(".columns section").count() == 2
    check()
    assert faults == []
    context.close()


def test_the_first_result_is_in_the_first_view_of_a_phone(browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 780}, locale="de-DE")
    page.goto(f"{address}/?q={QUESTION}&collection=firecode&as_of=&k=10")
    box = page.locator(".results > li").first.bounding_box()
    assert box["y"] + box["height"] <= 780, box
    shift = (
        "new Promise(done => new PerformanceObserver(list => done(list.getEntries().reduce((sum, one) => sum + "
        "one.value, 0))).observe({type: 'layout-shift', buffered: true}) || setTimeout(() => done(0), 300))"
    )
    assert page.evaluate(shift) < 0.1
    page.close()


def test_suggestions_are_chosen_by_keys(browser: Any, address: str) -> None:
    context = browser.new_context(bypass_csp=True, locale="fr-FR")
    page = context.new_page()
    page.goto(address)
    page.select_option("#collection", "firecode")
    page.locator("#q").press_sequentially("창문의 ㅅ")
    page.wait_for_selector("[role=option]")
    assert axe.Axe().run(page).response["violations"] == []
    page.keyboard.press("ArrowDown")
    assert page.get_attribute("#q", "aria-activedescendant") == "suggestion-0"
    page.keyboard.press("Escape")
    assert not page.locator("#suggestions").is_visible() and page.input_value("#q") == "창문의 ㅅ"
    page.keyboard.type("ㅓ")
    page.wait_for_selector("[role=option]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/provision" in url and "docno=vrule-6" in url)
    # With a day, a provision as it was on that day.
    page.goto(address)
    page.locator(".settings > summary").click()
    page.fill("input[name=as_of]", "2021-06-01")
    page.select_option("#collection", "dated")
    page.fill("#q", "FC04-24")
    page.locator("#suggestions li").first.click()
    page.wait_for_url(lambda url: "docno=FC04-24" in url and "as_of=2021-06-01" in url)
    assert "400만원" in page.locator(".text").first.inner_text()
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_what_is_kept_stays_in_the_browser(browser: Any, address: str, width: int, scheme: str) -> None:
    """A result and a version are kept, one has a note; both are there after a reload, in a file, and go one by one."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en-US", bypass_csp=True
    )
    page = context.new_page()
    page.goto(f"{address}/kept")
    assert page.locator("#kept-empty").is_visible()
    page.goto(f"{address}/?q={QUESTION}&collection=firecode")
    page.locator("button.keep").first.click()
    assert page.locator("button.keep").first.get_attribute("aria-pressed") == "true"
    page.goto(f"{address}/provision?docno=FC04-24@2021-01-01&collection=dated")
    page.locator("button.keep").click()
    page.evaluate("navigator.clipboard.writeText = async text => { window.taken = text; }")
    page.locator("button.copy").first.click()
    page.wait_for_function("window.taken")
    taken = page.evaluate("window.taken")
    assert "in force from 2021-01-01 to 2023-05-01, version FC04-24@2021-01-01" in taken and f"{address}/prov" in taken
    page.goto(f"{address}/kept")
    page.locator("textarea").first.fill('=1+1 "for the brief"')
    page.reload()
    assert page.locator("textarea").first.input_value() == '=1+1 "for the brief"'
    assert axe.Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    with page.expect_download() as download:
        page.locator("[data-save=csv]").click()
    rows = list(csv.reader(Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()))
    assert rows[1][-1] == '\'=1+1 "for the brief"' and rows[2][1] == "FC04-24@2021-01-01"
    page.locator(".kept button").first.click()
    assert page.locator(".kept").count() == 1
    page.locator(".kept h2 a").click()
    page.wait_for_url(lambda url: "FC04-24" in url)
    context.close()


def test_a_hostile_text_does_nothing(browser: Any, address: str) -> None:
    page = browser.new_page()
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    for path in (
        "/?collection=harbour&q=fee",
        "/provision?collection=harbour&docno=act-2",
        "/?q=<img src=x onerror=alert(1)>",
    ):
        page.goto(address + path)
    assert alerts == [] and page.locator("img").count() == 0
    page.close()


def test_without_a_script(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.fill("#q", QUESTION)
    page.click("form button >> nth=0")  # The click is done before the page that it asks for is read.
    sync_api.expect(page.locator(".results > li")).to_have_count(10)
    assert not page.locator("button.copy").is_visible() and not page.locator("button.keep").first.is_visible()
    context.close()


def test_two_computers_rate_one_sheet(browser: Any, address: str) -> None:
    """A name that is typed slowly is one rater, who finds and keeps what was rated elsewhere."""

    def opened(name: str) -> tuple[Any, list[str]]:
        page, said = browser.new_context().new_page(), list[str]()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.accept()))
        page.goto(f"{address}/sheet")
        page.locator("#rater").press_sequentially(name, delay=20)
        page.keyboard.press("Tab")
        return page, said

    def expect(page: Any, words: str) -> None:
        sync_api.expect(page.locator("#progress")).to_contain_text(words)

    def rate(page: Any, item: str, done: int) -> None:
        while item not in page.locator("#question").inner_text():
            page.keyboard.press("n")
        page.locator("#form input").nth(1).check()
        page.locator("#place").focus()
        expect(page, f"{done} of 3 answers are rated; saved on the server.")

    first, asked = opened("Kim")
    rate(first, "lamp", 1)
    second, asked_again = opened("kim ")
    expect(second, "1 of 3 answers are rated; saved on the server.")
    rate(second, "fee", 2)
    first.keyboard.press("p")
    rate(first, "gull", 3)
    assert asked == [] and len(asked_again) == 1 and "1 answers are rated as kim" in asked_again[0]
    first.reload()  # It goes on where it was, without a question.
    expect(first, "3 of 3 answers are rated; saved on the server.")
    first.locator("#clear").click()
    expect(first, "2 of 3 answers are rated; saved on the server.")
    first.locator("#rater").fill("Lee")
    first.keyboard.press("Tab")
    first.locator("#place").focus()
    expect(first, "saved on the server.")
    assert len(asked) == 1 and "Those of Kim stay saved" in asked[0]
    saved = first.evaluate("rater => fetch('/sheet/saved?rater=' + rater).then(reply => reply.json())", "KIM")
    assert len(saved["ratings"]) == 2
    first.context.close()
    second.context.close()
