"""Live examples in Chromium: what readers do with them, and what examples must not do."""

import http.server
import json
import re
import threading
from pathlib import Path

import pytest

from gradvalve_site import live
from gradvalve_site.words import LIVE_BUTTONS, LIVE_MESSAGES

STARTS = {"en": "", "de": "de/", "fr": "fr/", "ar": "ar/"}
ENGLISH = LIVE_MESSAGES["en"]
ROOT = Path(live.__file__).parents[2]
EXAMPLE = "two_valves"  # stands on the start page
SLIDER_AND_CHOICE = """
from gradvalve.live import choice, slider
a = slider("a", 1, 0, 4, 0.5)
if choice("b", ["one", "two"]) == "two":
    slider("c", 7, 0, 10, 1)
print(a)
"""
# Compares two pieces of a page, whatever the order of attributes. What scrolls has a tabindex;
# whether it does, fonts decide that may arrive in between.
SAME = """(element, html) => {
  const published = new DOMParser().parseFromString(html, "text/html").body.firstChild
  const pieces = [element.cloneNode(true), published]
  for (const piece of pieces) {
    for (const box of [piece, ...piece.children]) box.removeAttribute("tabindex")
  }
  return pieces[0].isEqualNode(pieces[1])
}"""
LISTEN = """addEventListener("securitypolicyviolation", event =>
  (window.violations ??= []).push(event.blockedURI))"""


class Example:
    """A live example on a page."""

    def __init__(self, page, name=EXAMPLE):
        self.page = page
        self.root = page.locator(f".gv-live[data-example={name}]")
        self.editor = self.root.locator("textarea")
        self.output = self.root.locator(".gv-live__output")
        self.controls = self.root.locator(".gv-live__controls")
        self.note = self.root.locator(".gv-live__note")
        self.status = self.root.locator(".gv-live__status")

    def press(self, action):
        self.root.locator(f"[data-action={action}]").click()

    def wait(self, state="ran"):
        self.page.locator(f"[data-example={self.name}][data-state={state}]").wait_for()

    @property
    def name(self):
        return self.root.get_attribute("data-example")

    def control(self, name):
        return self.controls.locator(f"[name={name!r}]")

    def run(self, code=None):
        """Run the code, and return the text of the output."""
        if code is not None:
            self.editor.fill(code)
        self.press("run")
        self.wait()
        return self.output.text_content()


@pytest.fixture(scope="module")
def pages_with_examples(served_folder):
    """The addresses of all pages with examples, by language."""
    site = served_folder / "gradvalve"
    found = {language: [] for language in STARTS}
    for path in sorted(site.rglob("index.html")):
        if 'class="gv-live"' in path.read_text(encoding="utf-8"):
            address = path.parent.relative_to(site).as_posix().removeprefix(".") + "/"
            language = next(
                (name for name, start in STARTS.items() if start and address.startswith(start)),
                "en",
            )
            found[language].append(address.removeprefix("/"))
    return found


@pytest.fixture(scope="module")
def shared(browser, base):
    """One page for the tests that leave nothing behind; the clipboard may be used."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(base)
    yield page
    context.close()


@pytest.fixture
def example(shared):
    """The example of the start page, as published."""
    example = Example(shared)
    example.press("reset")
    return example


@pytest.mark.parametrize("language", STARTS)
def test_every_example_puts_out_what_was_published(open_page, base, pages_with_examples, language):
    assert pages_with_examples[language]
    page = open_page(pages_with_examples[language][0])
    for address in pages_with_examples[language]:
        page.goto(base + address)
        page.evaluate(LISTEN)
        for name in page.locator(".gv-live").evaluate_all("all => all.map(e => e.dataset.example)"):
            example = Example(page, name)
            published = [
                part.evaluate("e => e.outerHTML") for part in (example.output, example.controls)
            ]

            example.run()

            for part, html in zip((example.output, example.controls), published, strict=True):
                assert part.evaluate(SAME, html), f"{address}: {name}"
        assert page.evaluate("window.violations ?? []") == []
    assert page.faults == []


def test_output_of_another_form_would_be_noticed(example):
    html = example.output.evaluate("e => e.outerHTML")
    assert example.output.evaluate(SAME, html)

    assert not example.output.evaluate(SAME, html.replace("8.0", "8"))
    assert not example.output.evaluate(SAME, html.replace("gv-text", "gv-error"))


@pytest.mark.parametrize("language", STARTS)
def test_examples_speak_the_language_of_the_page(open_page, language):
    page = open_page(STARTS[language])
    example = Example(page)

    assert example.note.inner_text() == LIVE_MESSAGES[language]["published"]
    assert example.root.locator("button").all_inner_texts() == [*LIVE_BUTTONS[language].values()]
    assert example.root.get_by_role("textbox").get_attribute("aria-label")
    described = example.editor.get_attribute("aria-describedby")
    assert page.locator(f"#{described}").text_content() == LIVE_MESSAGES[language]["editor_help"]


def test_nothing_of_the_interpreter_is_loaded_before_its_first_use(open_page):
    page = open_page("")
    page.wait_for_load_state("networkidle")
    Example(page).editor.click()
    asked = [url for url in page.asked if "worker.js" in url or "wasm" in url]
    assert not [url for url in asked if "search" not in url]

    Example(page).run()

    assert len([url for url in page.asked if "live-worker" in url or "wasm" in url]) == 2


def test_pages_without_examples_load_no_script_of_examples(open_page):
    page = open_page("reference/stop_gradient/")
    page.wait_for_load_state("networkidle")

    assert [url for url in page.asked if re.search(r"live[^/]*\.js", url)] == []


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_moves_when_the_editor_takes_the_place_of_the_code(open_page, width):
    address = STARTS["ar"]
    options = {"viewport": {"width": width, "height": 900}}
    place = "e => [e.offsetHeight, e.offsetWidth]"
    before = (
        open_page(address, java_script_enabled=False, **options)
        .locator(".gv-live__code")
        .evaluate(place)
    )
    page = open_page(address, **options)
    Example(page).editor.wait_for()

    assert page.locator(".gv-live__code").evaluate(place) == before


def test_letters_in_the_editor_stand_where_those_of_the_code_block_stood(open_page):
    first_words = """root => {
      const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
      const places = []
      while (walk.nextNode()) {
        if (!walk.currentNode.data.includes('import')) continue
        const range = document.createRange()
        range.selectNode(walk.currentNode)
        const { x, y, width } = range.getBoundingClientRect()
        places.push([x, y, width].map(Math.round))
      }
      return places
    }"""
    before = open_page("", java_script_enabled=False)
    after = open_page("")
    Example(after).editor.wait_for()

    places = [
        page.locator(".gv-live__code").first.evaluate(first_words) for page in (before, after)
    ]

    assert places[0]
    assert places[0] == places[1]


def test_edited_code_is_marked_as_not_run_until_it_runs(example):
    assert example.note.inner_text() == ENGLISH["published"]

    example.editor.fill("print(6 * 7)")
    assert example.note.inner_text() == ENGLISH["not_run"]

    assert example.run() == "42\n"
    assert example.note.inner_text() == ""


def test_reset_brings_back_what_was_published(example):
    parts = (example.output, example.controls)
    published = [part.evaluate("e => e.outerHTML") for part in parts]
    code = example.editor.input_value()
    example.run(SLIDER_AND_CHOICE)

    example.press("reset")

    assert example.editor.input_value() == code
    assert example.note.inner_text() == ENGLISH["published"]
    for part, html in zip(parts, published, strict=True):
        assert part.evaluate(SAME, html)


def test_reset_while_code_runs_wins(example):
    example.editor.fill("print('too late')")
    example.press("run")
    example.press("reset")
    example.page.wait_for_timeout(300)

    assert example.note.inner_text() == ENGLISH["published"]
    assert "too late" not in example.output.inner_text()


def test_reset_undoes_what_code_did_to_the_modules(example):
    example.run("import gradvalve.graph\ngradvalve.graph.variable = None\nprint(1)")
    example.press("reset")

    assert "TypeError" not in example.run()


def test_moving_a_slider_runs_the_code(example):
    example.run(SLIDER_AND_CHOICE)
    slider = example.control("a")

    slider.press("ArrowRight")
    example.output.get_by_text("1.5").wait_for()

    assert (
        slider.evaluate("e => e === document.activeElement && e.nextSibling.textContent") == "1.5"
    )


def test_the_latest_position_of_a_slider_wins(example):
    example.run("from gradvalve.live import slider\nprint(slider('a', 0, 0, 100, 1))")
    runs = """slider => {
      const output = slider.closest('.gv-live').querySelector('.gv-live__output')
      let count = 0
      new MutationObserver(() => count++).observe(output, { childList: true })
      for (let i = 1; i <= 50; i++) {
        slider.value = i
        slider.dispatchEvent(new Event('input', { bubbles: true }))
      }
      const result = () => [count, output.textContent, slider.value]
      return new Promise(resolve => setTimeout(() => resolve(result()), 500))
    }"""

    count, text, value = example.control("a").evaluate(runs)

    assert (text, value) == ("50.0\n", "50")
    assert count <= 3


def test_a_choice_may_change_the_set_of_controls_and_keeps_the_focus(example):
    example.run(SLIDER_AND_CHOICE)
    choice = example.control("b")
    choice.focus()

    choice.select_option("two")
    example.control("c").wait_for()

    assert choice.evaluate("e => e === document.activeElement")
    assert example.controls.locator("[name]").evaluate_all("all => all.map(e => e.name)") == [
        "a",
        "b",
        "c",
    ]


def test_a_link_brings_back_code_and_controls_and_runs_nothing(example, shared, base):
    example.run(SLIDER_AND_CHOICE + "print('linked')")
    example.control("a").fill("3")
    example.output.get_by_text("3.0").wait_for()
    example.press("link")
    example.note.get_by_text(ENGLISH["linked"]).wait_for()
    link = shared.url
    assert link.startswith(base + "#live=")
    assert shared.evaluate("navigator.clipboard.readText()") == link

    page = shared.context.new_page()
    page.goto(link)
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    restored = Example(page)
    restored.wait("not_run")

    assert restored.note.inner_text() == ENGLISH["not_run"]
    assert "linked" in restored.editor.input_value()
    assert "linked" not in restored.output.inner_text()
    assert restored.root.evaluate("e => Math.abs(e.getBoundingClientRect().top) < 300")
    page.wait_for_timeout(300)
    assert [url for url in page.asked if "wasm" in url] == []
    assert restored.run() == "3.0\nlinked\n"
    assert restored.control("a").input_value() == "3"
    restored.press("reset")
    assert page.url == base
    page.close()


def test_a_link_to_changed_controls_alone_moves_them(example, shared):
    name = example.controls.locator("input").first.get_attribute("name")
    highest = example.control(name).get_attribute("max")
    example.control(name).fill(highest)
    example.wait()
    example.press("link")
    example.note.get_by_text(ENGLISH["linked"]).wait_for()

    page = shared.context.new_page()
    page.goto(shared.url)
    restored = Example(page)
    restored.wait("not_run")

    assert restored.control(name).input_value() == highest
    assert restored.control(name).evaluate("e => e.nextSibling.textContent") == highest
    page.close()


@pytest.mark.parametrize(
    "fragment",
    [
        "#live=",
        "#live=%%%",
        "#live=AAAA",
        "#live=q1ZKrUjMLchJVbJS",  # cut
        "#live=q1YqSS0uUbICAA",  # other JSON
        f"#live={'A' * 9000}",
        pytest.param("bomb", id="40 KB, deflated"),
        pytest.param("type", id="settings that are no texts"),
    ],
)
def test_a_malformed_link_leaves_the_page_whole(example, shared, fragment):
    made = {
        "bomb": "{example: 'two_valves', code: ' '.repeat(40_000), settings: {}}",
        "type": "{example: 'two_valves', settings: {a: 1}}",
    }
    if fragment in made:
        fragment = "#live=" + shared.evaluate(f"""async () => {{
          const json = new Blob([JSON.stringify({made[fragment]})])
          const stream = json.stream().pipeThrough(new CompressionStream('deflate-raw'))
          const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
          const text = btoa(String.fromCharCode(...bytes))
          return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
        }}""")
    faults = []
    shared.on("pageerror", lambda error: faults.append(error))

    shared.evaluate("fragment => { location.hash = fragment }", fragment)
    shared.wait_for_timeout(100)

    assert faults == []
    assert example.note.inner_text() == ENGLISH["published"]


def test_code_that_is_too_long_for_a_link_says_so(example, shared):
    address = shared.url
    noise = "".join(chr(33 + (i * i * 7919 + i // 7) % 90) for i in range(40_000))
    example.editor.fill(f"# {noise}")
    example.press("link")

    example.note.get_by_text(ENGLISH["link_too_long"]).wait_for()
    assert shared.url == address


def test_copy_copies_the_code(example, shared):
    example.editor.fill("print('copied')")
    example.press("copy")
    example.note.get_by_text(ENGLISH["copied"]).wait_for()

    assert shared.evaluate("navigator.clipboard.readText()") == "print('copied')"


def test_an_endless_loop_is_stopped_and_the_next_run_works(example):
    example.editor.fill("while True:\n    pass")
    example.press("run")
    example.wait("running")
    assert example.note.inner_text() == ENGLISH["running"]

    example.output.get_by_text(ENGLISH["time_limit"]).wait_for()

    assert example.run("print('again')") == "again\n"


def test_output_without_end_is_cut(example):
    text = example.run("while True:\n    print('flood')")

    assert "RuntimeError: print: expected at most 10000 characters in all" in text
    assert len(text) < 11_000


def test_memory_is_bounded(example):
    text = example.run("x = []\nwhile True:\n    x.append(bytearray(10_000_000))")

    assert "MemoryError" in text
    assert example.run("print('again')") == "again\n"


def test_an_error_is_shown_with_its_line_after_the_output_so_far(example):
    example.run("def f():\n    return 1 / 0\n\n\nprint('before')\nf()")

    texts = example.output.locator("pre").all_inner_texts()
    assert texts[0].strip() == "before"
    assert texts[1].splitlines() == [
        'File "example", line 6, in <module>',
        'File "example", line 2, in f',
        "ZeroDivisionError: divide by zero",
    ]
    assert example.output.locator(".gv-error").count() == 1


def test_everything_can_be_done_by_keyboard(example, shared):
    example.run(SLIDER_AND_CHOICE)
    keyboard = shared.keyboard
    focused = """(({ name, dataset, localName }) => name || dataset.action || localName)(
      document.activeElement)"""
    example.editor.focus()
    keyboard.press("Control+End")
    keyboard.type("\nprint('typed')")
    keyboard.press("Control+Enter")
    example.output.get_by_text("typed").wait_for()

    keyboard.press("Tab")  # indents
    assert shared.evaluate(focused) == "textarea"
    assert (
        example.root.locator(".gv-live__help").evaluate("e => getComputedStyle(e).opacity") == "1"
    )
    keyboard.press("Escape")
    order = []
    for _ in range(6):
        keyboard.press("Tab")
        order.append(shared.evaluate(focused))
        assert shared.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert order == ["a", "b", "run", "reset", "copy", "link"]

    example.editor.focus()
    keyboard.press("Control+m")
    keyboard.press("Tab")
    assert shared.evaluate(focused) == "a"
    example.editor.focus()
    keyboard.press("Control+m")


def test_wide_output_can_be_reached_by_keyboard(example):
    example.run("print('wide ' * 100)")
    assert example.output.locator("pre").get_attribute("tabindex") == "0"

    example.run("print('narrow')")
    assert example.output.locator("[tabindex]").count() == 0


def test_the_editor_shows_its_focus(example):
    example.editor.focus()

    assert (
        example.root.locator(".prism-code-editor").evaluate("e => getComputedStyle(e).outlineStyle")
        == "solid"
    )


def test_the_output_is_announced_once_it_rests_and_never_at_length(example):
    assert example.status.get_attribute("role") == "status"
    example.run("print('first')")
    example.run("print('x' * 1000)")
    assert "first" not in example.status.inner_text()

    example.page.wait_for_timeout(800)

    assert example.status.text_content() == "x" * 300


def test_everything_works_without_network_after_the_first_run(open_page):
    page = open_page("")
    example = Example(page)
    example.run()
    page.context.set_offline(True)

    example.editor.fill("while True:\n    pass")
    example.press("run")
    example.output.get_by_text(ENGLISH["time_limit"]).wait_for()

    assert (
        example.run("from gradvalve.graph import variable\nprint(variable('x', 1).name)") == "x\n"
    )


def test_when_the_interpreter_cannot_be_fetched_the_next_run_tries_again(open_page):
    page = open_page("")
    example = Example(page)
    page.route("**/micropython.wasm", lambda route: route.abort())
    example.press("run")
    example.output.get_by_text(ENGLISH["boot_failure"]).wait_for()

    page.unroute("**/micropython.wasm")

    assert example.run("print('again')") == "again\n"


def test_an_interpreter_that_does_not_start_is_given_up(open_page):
    page = open_page("")
    example = Example(page)
    page.clock.install()
    page.route("**/live-worker.js", lambda route: route.fulfill(body="onmessage = () => {}"))
    with page.expect_worker():
        example.press("run")
    page.clock.run_for(10_000)

    example.output.get_by_text(ENGLISH["boot_failure"]).wait_for()


REACHING = {
    "fetch": "js.fetch(address)",
    "eval": "js.eval('fetch(address)')",
    "Function": "js.Function.new('return 1')()",
    "XMLHttpRequest": "r = js.XMLHttpRequest.new()\nr.open('GET', address, False)\nr.send()",
    "WebSocket": "js.WebSocket.new(address.replace('http', 'ws'))",
    "EventSource": "js.EventSource.new(address)",
    "importScripts": "js.importScripts(address)",
    "Worker": "js.Worker.new(address)",
}


@pytest.fixture(scope="module")
def another_host():
    """A server under another origin, and the list of what it was asked for."""
    asked = []

    class Host(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", asked
        server.shutdown()


@pytest.mark.parametrize("way", REACHING)
def test_no_other_host_can_be_reached_from_inside_an_example(example, shared, another_host, way):
    address, asked = another_host

    example.run(f"import js\naddress = '{address}{way}'\n{REACHING[way]}")
    shared.wait_for_timeout(150)

    assert asked == []


def test_an_example_gets_no_worker_that_the_policy_would_not_bind(example):
    assert example.run('import js\nprint(hasattr(js, "Worker"))') == "False\n"


def test_reset_twice_while_the_interpreter_starts_does_no_harm(open_page):
    page = open_page("")
    example = Example(page)
    workers = []
    page.on("worker", lambda worker: workers.append(worker))
    page.clock.install()
    example.run()
    example.press("reset")
    example.press("reset")
    example.run()
    started = len(workers)

    page.clock.run_for(20_000)  # more than a start may take

    assert example.run("print(1)") == "1\n"
    assert len(workers) == started


def test_without_the_policy_the_other_host_is_reached(browser, base, another_host):
    address, asked = another_host
    page = browser.new_page(bypass_csp=True)
    page.goto(base)

    Example(page).run(f"import js\naddress = '{address}reached'\n{REACHING['fetch']}")
    page.wait_for_timeout(150)
    page.close()

    assert asked == ["/reached"]
    asked.clear()


HOSTILE = "<img src=x onerror=alert(1)>\"'&amp;"


def test_hostile_texts_never_become_elements(example, shared):
    code = f"""
from gradvalve.graph import variable
from gradvalve.live import choice, plot, show, slider, table
hostile = {HOSTILE!r}
slider(hostile, 1, 0, 2)
choice(hostile + "b", [hostile, "two"])
for name in ["children", "contains", "insertBefore", "querySelector", "append"]:
    slider(name, 1, 0, 2)
x = variable(hostile, 1)
show((x * x).named(hostile), [x], hostile)
plot([hostile, "two"], [(hostile, [1, 2])], "bars", hostile, hostile, hostile)
table([hostile], [[hostile]])
print(hostile)
raise ValueError(hostile)
"""
    faults = []
    shared.on("pageerror", lambda error: faults.append(error))
    example.run(code)
    example.control("children").press("ArrowRight")
    example.wait()
    shared.wait_for_timeout(800)

    assert example.root.locator("img").count() == 0
    assert example.output.locator(".gv-text").inner_text().strip() == HOSTILE
    assert HOSTILE in example.output.locator(".gv-error").inner_text()
    assert faults == []


TREES = [
    ["script", {}, ["window.reached = 1"]],
    ["img", {"src": "x"}, []],
    ["a", {"href": "javascript:1"}, ["link"]],
    ["p", {"onclick": "window.reached = 1"}, ["handler"]],
    ["p", {"style": "position: fixed"}, ["style"]],
    ["p", {"id": "id"}, ["id"]],
    ["p", {"class": "md-overlay"}, ["class"]],
    ["input", {"type": "password"}, []],
    ["p", {"class": 1}, ["number"]],
    ["foreignObject", {}, ["svg"]],
    ["svg", {"xlink:href": "x"}, []],
    {"tag": "p"},
    7,
    None,
]


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: str(tree)[:30])
def test_what_is_on_no_list_is_left_out(example, tree):
    """The interpreter's messages are not trusted either: this code sends its own."""
    answer = json.dumps(
        {"controls": [tree], "output": [["p", {}, ["before", tree, "after"]]], "error": None}
    )

    text = example.run(f"import js\njs.postMessage({answer!r})")

    assert text == "beforeafter"
    assert example.output.evaluate("e => e.innerHTML") == "<p>beforeafter</p>"


@pytest.mark.parametrize(
    "answer", ["null", "7", "[]", '{"output": 7}', '{"output": [[]]}', "no JSON"]
)
def test_answers_of_another_form_do_no_harm(example, answer):
    example.editor.fill(f"import js\njs.postMessage({answer!r})")
    example.press("run")
    example.wait()

    assert example.run("print('again')") in ("again\n", "")


def test_page_and_script_allow_the_same_elements_and_attributes():
    script = (ROOT / "docs/assets/javascripts/live/tree.js").read_text(encoding="utf-8")
    lists = [
        set("".join(re.findall(r'"([^"]*)"', part)).split())
        for part in re.findall(r"new Set\(\s*(.*?\.split)", script, re.S)
    ]

    assert lists[0] | lists[1] == live.TAGS
    assert lists[2] == live.ATTRIBUTES


def test_without_javascript_code_and_output_stay(open_page):
    example = Example(open_page("", java_script_enabled=False))

    assert example.root.locator("code").first.is_visible()
    assert example.output.is_visible()
    assert not example.root.locator("button").first.is_visible()
    assert not example.controls.is_visible()
    assert not example.note.is_visible()
