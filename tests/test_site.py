"""The site: what every page keeps, what its pages do in a browser, and what it does with bad input.

Its tests run in the site's own environment (tests/run.sh says how); the main environment has no browser's driver.
"""

import contextlib
import functools
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("playwright", reason="tests/run.sh runs these tests in the site's environment")
from axe_playwright_python.sync_playwright import Axe
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import sync_playwright

from tests import golden
from website import build, charts, lessons
from website.__main__ import repository
from website.clean import clean
from website.code import highlighted
from website.markup import Markup, relative, slug

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FIREFOX = shutil.which("firefox-esr")  # Debian's
SMALL = ("clip_gradients", "cross_entropy", "schedules")  # phrases of the small site
KINDS = {  # a page of each kind
    "home": "",
    "not found": "404.html",
    "workloads": "compare/",
    "compare": "compare/cnn_cifar10/",
    "pair": "compare/cnn_cifar10/pytorch-jax/",
    "lesson": "lessons/cnn_cifar10/pytorch/",
    "lessons": "lessons/",
    "phrasebook": "phrasebook/",
    "phrase": "phrasebook/clip_gradients/",
    "section": "phrasebook/coming_from/pytorch/",
    "machines": "results/",
    "results": "results/cnn_cifar10/",
    "own column": "results/cnn_cifar10/local-mine-cpu-cpu/",
    "documents": "docs/",
    "document": "docs/method/",
    "search": "search/?q=clip",
}
TYPED = {  # what people typed, or asked in public threads, and the phrase to which it must lead
    "weights from Keras to PyTorch": "weights_between_frameworks",
    "transfer weights from keras model to pytorch": "weights_between_frameworks",
    "gradient clipping keras": "clip_gradients",
    "how to clip gradients in jax": "clip_gradients",
    "jax equivalent of nn.Module": "own_layer",
    "load state_dict": "save_weights",
    "learning rate warmup": "schedules",
    "How to freeze parameters?": "freeze_layers",
    "model.eval()": "train_eval_mode",
    "batchnorm momentum convention": "batch_norm",
    "Gradient accumulation support?": "accumulate_gradients",
    "tf.GradientTape in pytorch": "gradient",
    "conv2d padding same stride 2 pytorch": "same_padding",
    "clip_grad_norm_": "clip_gradients",
    "gradient clip setting clipvalue clipnorm": "clip_gradients",  # no page has all of these words
    "CosineAnnealingLR": "schedules",
    "sparse_softmax_cross_entropy_with_logits": "cross_entropy",
}
MARKUP = """Text <script>window.hurt = 1</script> <b onclick="hurt()">bold</b></main></body>
<style>* { display: none }</style><iframe src="https://example.org/"></iframe>
<a href="javascript:window.hurt=1">run</a> <img src=x onerror="window.hurt=1"> <h2 id="main">A heading</h2>
<form action="https://example.org/"><input name="q"></form><table><tr><td>left open"""


class Page(HTMLParser):
    """The ids of a page, what it links and loads, and its elements' names with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets, self.elements, self.inside = [], [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.elements.append((tag, given))
        self.inside += tag == "template"
        self.ids += [given["id"]] if "id" in given and not self.inside else []
        if not self.inside:
            self.targets += [given[name] for name in ("href", "src", "action") if given.get(name) is not None]
            self.targets += [given["value"]] if tag == "option" and "/" in given.get("value", "") else []

    def handle_endtag(self, tag):
        self.inside -= tag == "template"


def small(folder: Path) -> Path:
    """A checkout of two programs, three phrases, a published column and a user's own."""
    root = golden.checkout(folder)
    shutil.copytree(ROOT / "notebooks" / "mlp_mnist", root / "notebooks" / "mlp_mnist")
    shutil.copytree(ROOT / "docs", root / "docs")
    (root / "phrasebook").mkdir()
    for name in SMALL:
        shutil.copy(ROOT / "phrasebook" / f"{name}.ipynb", root / "phrasebook")
    shutil.copy(ROOT / "phrasebook" / "coming_from.md", root / "phrasebook")
    for where, label in (("published", "box"), ("local", "mine")):
        column = golden.Column(root, where, machine={**golden.MACHINE, "label": label})
        column.rounds(speeds={"jax": [20.0] * 6})  # a speed of four digits
        for row in ("pytorch-eager", "jax"):
            record = column.record(row, kind="full", number=2)
            record["measurements"]["test accuracy"]["values"] = [40.0, 50.0, 60.0]
            column.put(record)
    failed = column.record("numpy", status="failed", reason="ValueError: no such shape", measurements={})
    column.put(failed, "numpy.round1.failed")
    return root


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    return small(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def site(checkout):
    return build.build(checkout, "owner/name")


@pytest.fixture(scope="module")
def folder(site, tmp_path_factory):
    """The small site where a project's GitHub Pages have it: not at the top."""
    folder = tmp_path_factory.mktemp("www") / "name"
    build.write(site.files, folder)
    return folder


@contextlib.contextmanager
def served(folder):
    """The address at which a folder's own folders are shown."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture(scope="module")
def server(folder):
    with served(folder.parent) as address:
        yield f"{address}name/"


@pytest.fixture(scope="module")
def chromium():
    if not CHROMIUM:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, server):
    """opened(address, ...) gives a page in a browser of its own; none may ask elsewhere, or have an error."""
    contexts, outside, errors = [], [], []

    def heard(request):
        if not request.url.startswith((server, "data:", "blob:")):
            outside.append(request.url)

    def open_(address, width=1280, **given):
        given = {
            "viewport": {"width": width, "height": 800},
            "permissions": ["clipboard-read", "clipboard-write"],
            **given,
        }
        context = chromium.new_context(**given)
        contexts.append(context)
        context.on("request", heard)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(server + address)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not outside, "requests left the site"
    assert not errors


def sides(page):
    """The frameworks of the first row, from left to right."""
    return (
        page.locator(".row[data-tag=model] .pair")
        .first.locator(".side")
        .evaluate_all("all => all.map(s => s.dataset.framework)")
    )


def wait_for(page, names):
    page.wait_for_function(
        "names => [...document.querySelectorAll('.row[data-tag=model] .pair:first-of-type .side')].map(s => s.dataset.framework).join() === names",
        arg=",".join(names),
    )


# ---------------------------------------------------------------- every page of the whole site
of_the_whole = pytest.mark.xdist_group("whole")  # which is built once


@pytest.fixture(scope="module")
def whole():
    began = os.times()
    site = build.build(ROOT, "owner/name")
    site.took = sum(os.times()[:4]) - sum(began[:4])  # of the processor, Pagefind's included: others may use it, too
    return site


@of_the_whole
def test_it_is_built_in_two_minutes(whole):
    assert whole.took < 120
    assert len([name for name in whole.files if name.startswith("lessons/")]) > 80


@of_the_whole
def test_r_and_julia_are_highlighted(whole):
    julia, r = (
        whole.files[f"lessons/{name}/index.html"].decode() for name in ("mlp_mnist/julia", "cnn_cifar10/keras_r")
    )
    assert '<i class="k">function' in julia and '<i class="k">TRUE' in r


def test_pictures_of_outputs_have_their_size_in_every_form():
    png = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAAAAAC4HznGAAAAEElEQVR4nGNsYGBgYmBgAAADmACEBmiz0AAAAABJRU5ErkJggg=="
    jpeg = "/9j/4AAQSkZJRgABAQAAAQABAAD/wAALCAACAAMBAREA/9k="  # a frame of 3 x 2 pixels, without its data
    forms = {"image/png": png, "image/jpeg": jpeg, "image/svg+xml": '<svg width="3" height="2"></svg>'}
    markup = Markup(Path("."))
    for kind, content in forms.items():
        cell = {"outputs": [{"output_type": "display_data", "data": {kind: content, "text/plain": "a picture"}}]}
        (shown,) = markup.outputs(cell, "notebooks/cnn/r/")
        assert ' width="3" height="2"' in shown, kind
    assert {Path(name).suffix for name in markup.files} == {".png", ".jpg", ".svg"}


@of_the_whole
def test_what_people_type_leads_to_its_phrase(whole, chromium, tmp_path):
    wanted = ("search/", "static/", "pagefind/")
    build.write({name: content for name, content in whole.files.items() if name.startswith(wanted)}, tmp_path / "site")
    missed = {}
    with served(tmp_path / "site") as address, chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{address}search/")
        for words, phrase in TYPED.items():
            page.evaluate("document.querySelector('.count').textContent = ''")
            page.fill("main input", words)
            page.wait_for_selector(".count:has-text('page')")
            first = page.locator(".found li > a:first-child").evaluate_all(
                "all => all.slice(0, 4).map(a => a.pathname)"
            )
            if f"/phrasebook/{phrase}/" not in first:
                missed[words] = first
    assert not missed


@pytest.fixture(scope="module")
def parsed(whole):
    return {name: Page(content.decode()) for name, content in whole.files.items() if name.endswith("index.html")}


@of_the_whole
def test_no_link_is_broken(whole, parsed):
    broken = []
    for name, page in parsed.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme:
                assert parts.scheme in ("http", "https", "mailto"), target
                continue
            path = (Path("/" + name).parent / unquote(parts.path)).as_posix() if parts.path else "/" + name
            path = Path(
                "/",
                *functools.reduce(
                    lambda done, one: done[:-1] if one == ".." else [*done, one], Path(path).parts[1:], []
                ),
            )
            found = path.as_posix()[1:]
            if parts.path in ("", ".") or parts.path.endswith(("/", ".")):
                found = name if not parts.path else f"{found}/index.html".lstrip("/")
            if found not in whole.files or (
                parts.fragment and found in parsed and parts.fragment not in parsed[found].ids
            ):
                broken.append((name, target))
    assert not broken, broken[:10]


@of_the_whole
def test_no_text_links_what_is_not_there(whole):
    assert not [said for said in whole.said if ": a link to " in said]


@of_the_whole
def test_every_page_begins_with_its_one_heading(parsed):
    wrong = []
    for name, page in parsed.items():
        headings = [tag for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
        wrong += [name] if headings[0] != "h1" or headings.count("h1") != 1 else []
    assert not wrong, wrong[:10]


@of_the_whole
def test_no_id_is_given_twice(parsed):
    assert not [name for name, page in parsed.items() if len(page.ids) != len(set(page.ids))]


@of_the_whole
def test_no_page_is_heavy(whole):
    common = sum(len(whole.files[f"static/site.{kind}"]) for kind in ("css", "js"))
    sizes = {name: len(content) for name, content in whole.files.items() if name.endswith(".html")}
    first = {name: size + common for name, size in sizes.items() if size + common > 150_000}
    assert max(sizes.values()) < 1_000_000 and not first, first


@of_the_whole
def test_nothing_runs_or_is_loaded_from_elsewhere(parsed):
    for name, page in parsed.items():
        policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
        assert "default-src 'none'" in policy and "unsafe-inline" not in policy and "http" not in policy
        for tag, attributes in page.elements:
            assert not [one for one in attributes if one.startswith("on") or one == "style"], (name, tag, attributes)
            assert tag not in ("style", "iframe", "object", "embed"), (name, tag)
            loaded = attributes.get("src") or (attributes.get("href") if tag == "link" else None)
            assert not (loaded and urlsplit(loaded).scheme not in ("", "data")), (name, loaded)
            assert tag != "script" or attributes.get("src"), name
            assert tag != "img" or attributes.get("alt", "").strip(), (name, attributes)


def test_a_second_build_changes_nothing(checkout, site, folder):
    assert build.write(build.build(checkout, "owner/name").files, folder) == []
    assert [name for name, content in site.files.items() if not content] == [".nojekyll"]


def test_a_build_removes_what_is_gone_and_spares_other_folders(tmp_path):
    assert sorted(build.write({".nojekyll": b"", "a/b/c": b"1", "d": b"2"}, tmp_path / "out")) == [
        ".nojekyll",
        "a/b/c",
        "d",
    ]
    assert sorted(build.write({".nojekyll": b"", "d": b"3"}, tmp_path / "out")) == ["a/b/c", "d"]
    assert not (tmp_path / "out" / "a").exists()
    cut = {"a/b/c": b"1", "d": None, ".nojekyll": b""}
    with pytest.raises(TypeError):  # a build that ends midway
        build.write(cut, tmp_path / "cut")
    assert sorted(build.write(cut | {"d": b"2"}, tmp_path / "cut")) == ["d"], "the next one goes on"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis").write_text("years")
    with pytest.raises(FileExistsError, match="is no site: move it away"):
        build.write({"d": b""}, tmp_path / "mine")


# ---------------------------------------------------------------- in a browser
def test_the_choice_is_in_the_address_and_remembered(opened, server):
    page = opened("compare/cnn_cifar10/")
    assert sides(page) == ["pytorch", "jax"]
    page.select_option("[name=right]", "keras")
    wait_for(page, ["pytorch", "keras"])
    page.select_option("[name=third]", "theano")
    wait_for(page, ["pytorch", "keras", "theano"])
    assert page.url.endswith("compare/cnn_cifar10/?left=pytorch&right=keras&third=theano")
    assert "PyTorch, Keras, Theano" in page.locator("h1").inner_text()
    page.go_back()
    wait_for(page, ["pytorch", "keras"])
    page.go_back()
    wait_for(page, ["pytorch", "jax"])
    assert page.locator("[name=right]").input_value() == "jax"
    page.go_forward()
    wait_for(page, ["pytorch", "keras"])
    page.click("[name=swap]")
    wait_for(page, ["keras", "pytorch"])
    page.goto(server + "compare/cnn_cifar10/")
    wait_for(page, ["keras", "pytorch"])
    page.select_option("[name=left]", "pytorch")
    wait_for(page, ["pytorch", "keras"])
    page.select_option("[name=workload]", "mlp_mnist")
    page.wait_for_url("**/compare/mlp_mnist/?left=pytorch&right=keras")
    wait_for(page, ["pytorch", "keras"])


def test_what_a_workload_lacks_is_said(opened):
    page = opened("compare/mlp_mnist/?left=pytorch&right=cntk")
    wait_for(page, ["pytorch", "jax"])
    assert page.locator("#lacking").inner_text() == "Without a lesson of this workload: cntk."
    page = opened("compare/cnn_cifar10/?left=keras&right=jax")
    wait_for(page, ["keras", "jax"])
    row = page.locator(".row[data-tag=train_step] .side")
    assert row.locator(".none").all_inner_texts() == ["This lesson has no such cell."]


def test_a_pair_of_its_own_leads_on(opened):
    page = opened("compare/cnn_cifar10/pytorch-jax/#model")
    page.select_option("[name=left]", "tensorflow")
    page.wait_for_url("**/compare/cnn_cifar10/?left=tensorflow&right=jax#model")
    wait_for(page, ["tensorflow", "jax"])


@pytest.mark.parametrize(
    "address", ["compare/cnn_cifar10/pytorch-jax/", "compare/cnn_cifar10/?left=tensorflow&right=theano"]
)
def test_cells_are_those_of_the_notebooks_and_copied_exactly(opened, checkout, address):
    page = opened(address)
    names = ["tensorflow", "theano"] if "?" in address else ["pytorch", "jax"]
    wait_for(page, names)
    assert not page.locator(".away a").count(), "the keyboard would reach what cannot be seen"
    for name in names:
        content = json.loads((checkout / "notebooks" / "cnn_cifar10" / f"{name}.ipynb").read_text())
        shown = page.locator(f".side[data-framework={name}] code:is(pre *)").evaluate_all(
            "all => all.map(c => c.textContent)"
        )
        sources = ["".join(c["source"]).strip("\n") for c in content["cells"] if c["cell_type"] == "code"]
        assert len(shown) >= 8 and set(shown) <= set(sources)
    model = page.locator(".row[data-tag=model] .side").first
    model.locator(".copy").first.click()
    assert page.evaluate("navigator.clipboard.readText()") == model.locator("pre code").first.evaluate(
        "code => code.textContent"
    )
    assert model.locator(".copy").first.inner_text() == "Copied"


def test_every_cell_has_a_link_that_leads_to_it(opened):
    page = opened("compare/cnn_cifar10/?left=tensorflow&right=theano")
    wait_for(page, ["tensorflow", "theano"])
    page.locator(".row[data-tag=model] .side").nth(1).locator(".tools a").click()
    page.wait_for_url("**/lessons/cnn_cifar10/theano/#cell-*")
    assert page.locator(":target").get_attribute("data-tag") == "model"


def test_texts_fold_and_stay_as_they_were(opened, server):
    page = opened("compare/cnn_cifar10/?left=keras&right=jax")
    wait_for(page, ["keras", "jax"])
    text = page.locator(".row[data-tag=model] .prose details p").first
    assert not text.is_visible()
    page.check("[name=text]")
    assert text.is_visible()
    page.reload()
    wait_for(page, ["keras", "jax"])
    assert text.is_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_text_opens_by_a_click_and_stays_open(opened, width):
    for address in ("compare/cnn_cifar10/?left=keras&right=jax", "compare/cnn_cifar10/pytorch-jax/"):
        page = opened(address, width=width)
        wait_for(page, ["keras", "jax"] if "?" in address else ["pytorch", "jax"])
        row = page.locator(".row[data-tag=model]")
        row.locator(".prose summary").first.click()
        assert row.locator(".prose details p").first.is_visible()
        page.locator(".jump a").last.click()
        page.wait_for_url("**#*")
        page.wait_for_timeout(50)
        assert row.locator(".prose details p").first.is_visible()


def test_lessons_that_cannot_be_loaded_are_asked_for_again(chromium, server):
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{server}compare/cnn_cifar10/")
        page.route("**/lessons/**", lambda route: route.abort())
        page.select_option("[name=right]", "keras")
        page.wait_for_selector("#lacking:has-text('could not be loaded')")
        assert page.locator("[name=right]").input_value() == "jax" and sides(page) == ["pytorch", "jax"]
        page.unroute("**/lessons/**")
        page.select_option("[name=right]", "keras")
        wait_for(page, ["pytorch", "keras"])
        assert not page.locator("#lacking").is_visible()


def test_what_cannot_be_copied_is_selected(opened):
    page = opened("lessons/cnn_cifar10/pytorch/")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    page.locator(".copy").first.click()
    assert page.locator(".copy").first.inner_text() == "Press Ctrl-C"
    assert page.evaluate("getSelection().toString().trim()") == page.locator("pre").first.inner_text().strip()


def test_links_of_a_fetched_text_lead_where_the_lesson_leads(opened, folder):
    page = opened("compare/cnn_cifar10/?left=theano&right=tensorflow")
    wait_for(page, ["theano", "tensorflow"])
    links = page.locator(".side a[href]").evaluate_all("all => all.map(a => a.href)")
    inside = {urlsplit(link).path.removeprefix("/name/") for link in links if urlsplit(link).hostname == "127.0.0.1"}
    assert len(inside) > 1 and not [path for path in inside if not (folder / path / "index.html").exists()]


def test_the_search_finds(opened):
    page = opened("")
    page.fill(".find input", "clip")
    page.press(".find input", "Enter")
    page.wait_for_url("**/search/?q=*")
    page.wait_for_selector(".found li")
    assert page.locator(".found li > a:first-child").first.inner_text() == "Clip gradients"
    page.locator(".found li > a:first-child").first.click()
    page.wait_for_url("**/phrasebook/clip_gradients/")
    assert page.locator("h1").inner_text() == "Clip gradients"


def test_a_search_in_vain_says_what_to_do(opened):
    page = opened("search/?q=zzzz+qqqq")
    page.wait_for_selector(".count:has-text('try fewer')")
    page.fill("main input", "gradient clip setting clipvalue clipnorm")
    page.wait_for_selector(".count:has-text('All but one:')")
    assert page.locator(".found li > a:first-child").first.inner_text() == "Clip gradients"


def test_the_search_waits_for_words_and_says_when_it_fails(opened, chromium, server):
    page, asked = opened("search/"), []
    page.wait_for_timeout(100)
    assert not page.evaluate("performance.getEntriesByType('resource').filter(one => /pagefind/.test(one.name)).length")
    page.on("request", lambda request: asked.append(request.url))
    page.locator("main input").press_sequentially("training")
    page.wait_for_selector(".count:has-text('the first 10 shown')")
    assert page.locator(".found li").count() == 10
    assert len([url for url in asked if "/fragment/" in url]) == 10
    with chromium.new_context() as context:
        page = context.new_page()
        page.route("**/pagefind.js", lambda route: route.abort())
        page.goto(f"{server}search/?q=clip")
        page.wait_for_selector(".count:has-text('could not be loaded')")


def test_the_phrasebook_is_filtered(opened):
    page = opened("phrasebook/")
    assert page.locator("tr[data-row]:visible").count() == len(SMALL)
    page.fill("[name=words]", "clipnorm")
    assert page.locator("tr[data-row]:visible th").all_inner_texts() == ["Clip gradients"]
    assert (
        page.locator("section[data-group]:visible").count() == 1
        and page.locator("[role=status]").first.inner_text() == "1 line"
    )
    assert page.url.endswith("?words=clipnorm")
    page.reload()
    assert page.locator("tr[data-row]:visible").count() == 1


def test_defaults_that_differ_are_marked(opened):
    page = opened("phrasebook/")
    assert page.locator("tr:has(.mark) th a").all_inner_texts() == ["Cross-entropy from logits"]
    page.goto(page.url + "cross_entropy/")
    page.click(".mark")
    assert page.locator("h2:target").inner_text().startswith("Defaults that differ")
    assert "from_logits" in page.locator(".differ code").first.inner_text()


def test_results_are_filtered_and_sorted_and_the_address_keeps_it(opened):
    page = opened("results/cnn_cifar10/")
    rows = page.locator("tr[data-row]:visible")
    everything = rows.count()
    page.select_option("[name=era]", "2018")
    assert 0 < rows.count() < everything
    page.select_option("[name=era]", "today")
    page.click("th:has-text('images/s') button")
    speeds = [float(v) for v in rows.locator("td:nth-child(4)").evaluate_all("all => all.map(c => c.dataset.v)")]
    assert speeds == sorted(speeds) and len(speeds) > 2
    page.click("th:has-text('images/s') button")
    page.reload()
    again = [float(v) for v in rows.locator("td:nth-child(4)").evaluate_all("all => all.map(c => c.dataset.v)")]
    assert again == speeds[::-1] and page.locator("[name=era]").input_value() == "today"
    page.fill("[name=words]", "jax")
    assert rows.count() == 1
    assert page.locator("svg.curves g[data-row]:visible").count() == 1


def test_ones_own_column_stands_beside_ours(opened):
    page = opened("results/cnn_cifar10/")
    assert page.locator("select[data-go]").nth(1).locator("option").all_inner_texts() == [
        "box, cpu",
        "mine, cpu (yours)",
    ]
    page.locator("select[data-go]").nth(1).select_option("mine, cpu (yours)")
    page.wait_for_url("**/results/cnn_cifar10/local-mine-cpu-cpu/")
    heads = page.locator("thead th").all_inner_texts()
    assert any("images/s, ours" in head for head in heads) and any("yours over ours" in head for head in heads)
    assert "beside it stands box, cpu" in page.locator("main").inner_text()


def test_a_failed_row_says_why(opened):
    row = opened(KINDS["own column"]).locator("tr[data-row=numpy]")
    assert row.locator("th small").inner_text() == "failed"
    row.locator("summary").click()
    assert row.locator("details p").first.inner_text() == "failed: ValueError: no such shape"


def test_figures_and_versions_are_sorted_as_numbers(opened):
    page = opened(KINDS["own column"])
    heads = page.locator("thead th").all_inner_texts()
    page.click("th:has-text('ours') button")
    texts = page.locator(
        f"tbody td:nth-child({1 + [', ours' in head for head in heads].index(True)})"
    ).all_inner_texts()
    speeds = [float(text.replace(",", "")) for text in texts if text != "–"]
    assert speeds == sorted(speeds) and speeds[-1] > 1000 and "–" not in texts[: len(speeds)]
    page.evaluate(
        "document.querySelectorAll('td.version').forEach((cell, k) => cell.textContent = `torch 2.${[10, 9][k] || 8}`)"
    )
    page.click("th:has-text('version') button")
    assert page.locator("td.version").all_inner_texts()[-2:] == ["torch 2.9", "torch 2.10"]


def test_a_row_of_2018_is_drawn_in_its_colour(opened):
    page = opened(KINDS["results"])
    colours = [
        page.locator(f"tr[data-era='{era}'] .dot").first.evaluate("dot => getComputedStyle(dot).fill")
        for era in ("today", "2018")
    ]
    assert colours == ["rgb(43, 108, 176)", "rgb(138, 90, 43)"]


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_serious(opened, kind):
    page = opened(KINDS[kind])
    page.wait_for_timeout(100)
    given = {"resultTypes": ["violations"]}  # the nodes that pass are not listed: half the time
    found = Axe().run(page, options=given).response["violations"]
    page.emulate_media(color_scheme="dark")
    found += Axe().run(page, options={**given, "runOnly": ["color-contrast"]}).response["violations"]
    bad = [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in ("serious", "critical")]
    assert not bad


def test_at_390_pixels_no_page_scrolls_sideways(opened, server):
    page, wide = opened("", width=390), {}
    for kind, address in KINDS.items():
        page.goto(server + address)
        page.wait_for_timeout(50)
        wide[kind] = page.evaluate("document.documentElement.scrollWidth")
    assert max(wide.values()) <= 390, wide


def test_at_390_pixels_columns_stack(opened):
    page = opened("compare/cnn_cifar10/", width=390)
    boxes = [page.locator(".row[data-tag=model] .side").nth(k).bounding_box() for k in (0, 1)]
    assert boxes[0]["x"] == boxes[1]["x"] and boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]


def test_columns_begin_at_one_height_and_lines_are_not_broken(opened):
    page = opened("compare/cnn_cifar10/")
    for pair in page.locator(".pair:has(.side:nth-child(2) pre)").all()[:6]:
        tops = pair.locator("pre").evaluate_all("all => all.map(p => p.getBoundingClientRect().y)")
        assert max(tops) - min(tops) < 1
    assert page.locator("pre").first.evaluate("pre => getComputedStyle(pre).whiteSpace") == "pre"


def test_dark_as_the_system_says_or_as_chosen(opened):
    def paper(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light, dark = paper(opened("")), paper(opened("", color_scheme="dark"))
    assert light == "rgb(255, 255, 255)" and dark != light
    page = opened("")
    page.click("#theme")
    assert paper(page) == dark
    page.reload()
    assert paper(page) == dark
    page.click("#theme")
    assert paper(page) == light


@pytest.mark.parametrize("kind", ["compare", "results", "phrasebook", "lesson"])
def test_everything_is_reached_by_keyboard(opened, kind):
    page = opened(KINDS[kind])
    wanted = "a[href], button, input, select, summary, [tabindex='0']"
    count = page.evaluate(
        "wanted => { let n = 0; for (const one of document.querySelectorAll(wanted)) if (one.checkVisibility()) one.dataset.wanted = n++; return n; }",
        wanted,
    )
    page.evaluate("reached = []; addEventListener('focusin', event => reached.push(event.target.dataset.wanted))")
    for _ in range(count + 5):
        page.keyboard.press("Tab")
    assert {str(k) for k in range(count)} <= {*page.evaluate("reached")}
    page.locator("#theme").focus()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_keys_choose_and_search(opened):
    page = opened("compare/cnn_cifar10/")
    page.locator("[name=right]").focus()
    page.keyboard.press("t")
    wait_for(page, ["pytorch", "tensorflow"])
    page.locator("[name=workload]").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**/compare/mlp_mnist/?left=pytorch&right=tensorflow")
    page.wait_for_function("document.activeElement.name === 'workload'")  # from which one goes on
    page.locator("h1").click()
    page.keyboard.press("/")
    page.keyboard.type("clip")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=clip")
    page.wait_for_selector(".found li")


@pytest.mark.skipif(not FIREFOX, reason="there is no Firefox here: apt-get install firefox-esr")
def test_firefox_goes_back_copies_and_searches(server, tmp_path):
    def firefox(name, **given):  # a command in Firefox's own protocol: Playwright cannot drive the system's
        message, answer = json.dumps([0, 0, name, given]).encode(), {}
        line.sendall(b"%d:%s" % (len(message), message))
        while isinstance(answer, dict):  # the greeting is one, answers are lists
            answer = json.loads(heard.read(int(b"".join(iter(lambda: heard.read(1), b":")))))
        assert not answer[2], answer[2]["message"]
        return answer[3].get("value")

    def find(css, click=False):  # waits for it
        end, script = time.time() + 20, "return document.querySelector(arguments[0])"
        while not (element := firefox("WebDriver:ExecuteScript", script=script, args=[css])):
            assert time.time() < end, css
            time.sleep(0.1)
        if click:
            firefox("WebDriver:ElementClick", id=next(iter(element.values())))

    (tmp_path / "user.js").write_text('user_pref("marionette.port", 0);')
    options = ["--headless", "--marionette", "--remote-allow-system-access", "--profile", tmp_path]
    process, port, end = subprocess.Popen([FIREFOX, *options]), tmp_path / "MarionetteActivePort", time.time() + 120
    try:
        while not (port.exists() and port.read_text()):
            assert time.time() < end, "Firefox does not start"
            time.sleep(0.1)
        line = socket.create_connection(("127.0.0.1", int(port.read_text())))
        heard = line.makefile("rb")
        firefox("WebDriver:NewSession")
        firefox("WebDriver:Navigate", url=server + "compare/cnn_cifar10/?left=pytorch&right=jax")
        find("[name=right] [value=keras]", click=True)
        find("[name=workload] [value=mlp_mnist]", click=True)
        find("[data-workload=mlp_mnist] [data-tag=model] [data-framework=keras]")
        firefox("WebDriver:Back")  # Firefox shows the page that it kept, the drop-down as it was left
        find("[data-workload=cnn_cifar10] [name=workload] [value=cnn_cifar10]:checked")
        firefox("WebDriver:Back")
        find("[name=right] [value=jax]:checked")
        find("[data-tag=model] [data-framework=pytorch] + [data-framework=jax]")
        find("[data-tag=model] .copy", click=True)
        find("#said:not(:empty)")
        assert firefox("WebDriver:ExecuteScript", script="return said.textContent", args=[]) == "Copied"
        firefox("WebDriver:Navigate", url=server + "search/?q=clip")
        find(".found a[href$='phrasebook/clip_gradients/']")
        firefox("Marionette:SetContext", value="chrome")  # where every error is heard of
        script = "return Services.console.getMessageArray().map(String)"
        assert not [text for text in firefox("WebDriver:ExecuteScript", script=script, args=[]) if server in text]
    finally:
        process.kill()
        process.wait()


def test_every_page_reads_without_javascript(opened, server):
    page = opened("", java_script_enabled=False)
    for kind, address in KINDS.items():
        page.goto(server + address)
        text = page.locator("main").inner_text()
        assert len(text) > 80, kind
        assert not page.locator(".needs-js:visible").count(), kind
        if kind == "pair":
            assert "class CNN(nn.Module)" in text and "nnx.Conv" in text
        if kind in ("compare", "results"):
            assert page.locator("main a:visible").count() > 5, kind


@of_the_whole
def test_other_lessons_and_machines_are_linked_without_javascript(parsed):
    targets = parsed["compare/cnn_cifar10/index.html"].targets
    names = [name for name in (p.stem for p in (ROOT / "notebooks" / "cnn_cifar10").glob("*.ipynb"))]
    assert len({t for t in targets if re.match(r"\w+-\w+/$", t)}) == len(names) * (len(names) - 1) // 2


# ---------------------------------------------------------------- bad input
def edited(path, change):
    """Rewrites a notebook, a copy in the place of a link."""
    content = json.loads(path.read_text())
    change(content)
    path.unlink()
    path.write_text(json.dumps(content))


def test_bad_input_is_said_in_its_place_and_named(tmp_path):
    root = small(tmp_path)
    lesson = root / "notebooks" / "cnn_cifar10"

    def bare(content):
        for cell in content["cells"]:
            cell |= {"outputs": []} if cell["cell_type"] == "code" else {}

    def without_model(content):
        content["cells"] = [c for c in content["cells"] if c["metadata"].get("tags") != ["model"]]

    def without_jax(content):
        content["cells"] = [
            c
            for c in content["cells"]
            if c["metadata"].get("tags") != ["jax"] and not "".join(c["source"]).startswith("## JAX")
        ]

    def hostile(content):
        content["cells"].insert(1, {"cell_type": "markdown", "metadata": {}, "source": MARKUP})
        output = {"output_type": "display_data", "metadata": {}, "data": {"text/html": MARKUP, "text/plain": ""}}
        next(c for c in content["cells"] if c["cell_type"] == "code")["outputs"] = [output]

    edited(lesson / "theano.ipynb", bare)
    edited(lesson / "lasagne.ipynb", without_model)
    edited(lesson / "tensorflow.ipynb", hostile)
    edited(root / "phrasebook" / "clip_gradients.ipynb", without_jax)
    (lesson / "cntk.ipynb").unlink()
    (lesson / "cntk.ipynb").write_text("not JSON")
    lines = root / "results/published/box/cpu-cpu/cnn_cifar10.jsonl"
    lines.write_text(lines.read_text().replace('"schema":2', '"schema":9', 1))
    site = build.build(root)
    pages = {
        name.removesuffix("index.html"): content.decode()
        for name, content in site.files.items()
        if name.endswith(".html")
    }

    assert "cnn_cifar10/theano.ipynb has no outputs" in site.said
    assert "no stored outputs" in pages["lessons/cnn_cifar10/theano/"]
    assert any(one.startswith("cnn_cifar10/lasagne.ipynb has no cell of:") and "Model" in one for one in site.said)
    assert "This lesson has no such cell." in pages["compare/cnn_cifar10/jax-lasagne/"]
    assert "phrasebook/clip_gradients.ipynb does not say it in JAX" in site.said
    assert "does not say it in JAX yet" in pages["phrasebook/clip_gradients/"]
    assert any("cntk.ipynb cannot be read as a notebook" in one for one in site.said)
    assert "lessons/cnn_cifar10/cntk/" not in pages
    assert any("its schema 9 is newer" in one for one in site.said)
    assert "its schema 9 is newer" in pages["results/cnn_cifar10/"]

    page = pages["lessons/cnn_cifar10/tensorflow/"]
    for word in ("hurt", "example.org", "onerror", "javascript:", "<style", "<iframe", "display: none"):
        assert word not in page, word
    assert "A heading" in page and page.count("left open") == 2
    found = Page(page)
    assert found.ids.count("main") == 1 and page.count("</main>") == 1 and page.count("<form") == 1
    opening, closing = (len(re.findall(rf"<{slash}table", page)) for slash in ("", "/"))
    assert opening == closing


def test_the_page_for_what_is_not_there_leads_home(site, tmp_path):
    assert 'href="/name/"' in site.files["404.html"].decode()
    assert 'href="/"' in build.build(golden.checkout(tmp_path), "owner/owner.github.io").files["404.html"].decode()


def test_a_checkout_without_records_says_so(tmp_path):
    root = golden.checkout(tmp_path)
    site = build.build(root)
    assert "Not measured yet." in site.files["results/cnn_cifar10/index.html"].decode()
    assert (
        site.files["search/index.html"] and "owner" not in site.files["lessons/cnn_cifar10/pytorch/index.html"].decode()
    )


def test_links_lead_into_the_sections_of_a_long_document(tmp_path):
    root = golden.checkout(tmp_path)
    (root / "docs").mkdir(exist_ok=True)
    long = "# Long\n\n[b](#b) [deep](#deep)\n\n## A `part`\n\n[b](#b)\n\n## B\n\n[a](#a-part)\n\n### Deep\n\n"
    (root / "docs" / "long.md").write_text(long + "words " * 15_000)
    (root / "docs" / "short.md").write_text("# Short\n\n[b](long.md#b) [deep](long.md#deep) [none](long.md#none)\n")
    files = build.build(root).files

    def targets(address):
        text = files[f"{address}index.html"].decode()
        return re.findall(r'<a href="([^"]*)">(\w+)</a>', text[text.index("<h1") :])

    assert {("b/", "b"), ("b/#deep", "deep")} <= {*targets("docs/long/")}
    assert ("../b/", "b") in targets("docs/long/a-part/") and ("../a-part/", "a") in targets("docs/long/b/")
    assert {("../long/b/", "b"), ("../long/b/#deep", "deep"), ("../long/#none", "none")} <= {*targets("docs/short/")}


def test_colab_and_codespaces(site):
    today, then = (site.files[f"lessons/cnn_cifar10/{name}/index.html"].decode() for name in ("pytorch", "chainer"))
    assert "https://colab.research.google.com/github/owner/name/blob/HEAD/notebooks/cnn_cifar10/pytorch.ipynb" in today
    assert "%pip install --quiet git+https://github.com/owner/name" in re.sub("<[^>]+>", "", today)
    assert "https://codespaces.new/owner/name" in then and "colab" not in then
    assert "./run_all.sh --workload cnn_cifar10 --framework chainer" in re.sub("<[^>]+>", "", then)
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert container["postAttachCommand"].startswith("./run_all.sh ") and (ROOT / "run_all.sh").exists()
    assert container["image"]


# ---------------------------------------------------------------- parts
@pytest.mark.parametrize(
    "given, wanted",
    [
        ("<p>a<b>b</p>c", "<p>a<b>b</b></p>c"),
        ("</div></main>a", "a"),
        ("<script>x</script>y", "y"),
        ("<script>x", ""),
        ("<svg><script>x</script><circle/></svg>y", "y"),
        ("a < b &amp; c > d", "a &lt; b &amp; c &gt; d"),
        ('<a href=" java\tscript:x">y</a>', "<a>y</a>"),
        ('<a href="data:text/html,x">y</a>', "<a>y</a>"),
        ('<a href="//example.org">y</a>', "<a>y</a>"),
        (
            '<a href="https://example.org/?a=1&amp;b=2" onclick=x>y</a>',
            '<a href="https://example.org/?a=1&amp;b=2">y</a>',
        ),
        (
            '<i class="k">x</i><i class="copy">y</i><p class="c" id="main" style="x">z</p>',
            '<i class="k">x</i><i>y</i><p>z</p>',
        ),
        ('<img src="https://example.org/a.png" alt="A <b>">', "A &lt;b&gt;"),
        ("<!-- a --><textarea><b>x</textarea>", "<b>x</b>"),
    ],
)
def test_html_of_others_is_cleaned(given, wanted):
    assert clean(given) == wanted


@given(st.text(alphabet=st.sampled_from("<>/=\"' abpis!-&;\n"), max_size=60))
def test_what_is_cleaned_is_closed_and_known(text):
    class Balance(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open = []

        def handle_starttag(self, tag, attributes):
            assert tag in ("a", "abbr", "b", "p", "i", "s", "span", "samp", "small", "sub", "sup") and not attributes
            self.open.append(tag)

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

    checked = Balance()
    checked.feed(clean(text))
    checked.close()
    assert not checked.open


@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r"), max_size=200),
    st.sampled_from(["python", "R", "julia", "none"]),
)
def test_highlighting_changes_no_character(source, language):
    class Text(HTMLParser):
        def __init__(self):
            super().__init__()
            self.text = ""

        def handle_data(self, text):
            self.text += text

    shown = Text()
    shown.feed(highlighted(source, language))
    shown.close()
    assert shown.text == source


def test_addresses():
    assert relative("a/b/", "a/c/") == "../b/" and relative("", "a/b/") == "../../" and relative("a/", "a/") == "./"
    assert (
        relative("a/#x", "a/") == "#x"
        and relative("a/#x", "b/") == "../a/#x"
        and relative("p/x.png", "a/") == "../p/x.png"
    )
    assert slug("Where the <code>time</code> goes &amp; why?") == "where-the-time-goes--why"


def test_ticks_are_round_numbers_inside():
    assert charts.ticks(0, 100, 5) == [0, 20, 40, 60, 80, 100] and charts.ticks(41, 66, 5) == [45, 50, 55, 60, 65]
    assert charts.ticks(0, 0, 5) == [0]


def test_an_interval_lies_where_its_numbers_are():
    scale = charts.Scale([1.0, 10.0, 100.0, float("nan"), None, 0])
    assert [scale(value) for value in (1, 10, 100)] == [3, 50, 97]
    shown = charts.interval(scale, 1.0, 10.0, float("nan"), "10", True)
    assert 'class="span" x1="3.0%" x2="50.0%"' in shown and 'class="dot" cx="50.0%"' in shown


def test_a_curve_rises_to_the_right():
    line = {"row": "a", "era": None, "title": "A", "points": [(5, 40), (10, 60)]}
    first, last = re.search(r'points="([\d.]+,[\d.]+) ([\d.]+,[\d.]+)"', charts.curves([line], "s", "%")).groups()
    (x0, y0), (x1, y1) = (map(float, one.split(",")) for one in (first, last))
    assert x0 == charts.LEFT + (x1 - charts.LEFT) / 2 and y1 < y0


def test_tagged_cells_bring_the_texts_directly_before_them(tmp_path):
    def cell(kind, source, tag=None):
        more = {"outputs": []} if kind == "code" else {}
        return {
            "cell_type": kind,
            "id": source[:3],
            "metadata": {"tags": [tag]} if tag else {},
            "source": source,
            **more,
        }

    cells = [cell("markdown", "# Title\n\ntop"), cell("markdown", "## Model\n\none"), cell("code", "a = 1\n", "model")]
    cells += [cell("code", "b = 2", "show"), cell("markdown", "two"), cell("code", "c = 3", "model")]
    (tmp_path / "x.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}))
    book = lessons.read(tmp_path / "x.ipynb")
    assert book.title == "Title" and [s.title for s in book.sections] == ["", "Model"] and not book.executed
    assert [(texts, item.source) for texts, item in lessons.tagged(book, "model")] == [
        (["one"], "a = 1"),
        (["two"], "c = 3"),
    ]


def test_the_command_builds_and_says_what_it_did(tmp_path):
    checkout = golden.checkout(tmp_path)
    command = [sys.executable, "-m", "website", "--root", str(checkout), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert re.search(r"out: \d+ pages, \d+ MB, \d+ files changed, \d+ s\nto see it: ", done.stdout)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        again = subprocess.run([*command, "--serve", port], capture_output=True, text=True, check=False, cwd=ROOT)
    assert again.returncode == 1 and f"port {port}" in again.stderr and "Traceback" not in again.stderr
    (checkout / "frameworks.toml").write_text("[frameworks]\n")
    again = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert again.returncode == 1 and again.stderr.startswith("site: ") and "Traceback" not in again.stderr


def test_the_repository_is_read_from_gits_origin(tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    assert repository(tmp_path) == ""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(
        ["git", "-C", str(tmp_path), "remote", "add", "origin", "git@github.com:some-one/a.stone.git"], check=True
    )
    assert repository(tmp_path) == "some-one/a.stone"
    monkeypatch.setenv("GITHUB_REPOSITORY", "a/b")
    assert repository(tmp_path) == "a/b"
