"""Live examples in pages: the fence, what it becomes, and the mistakes that stop the build."""

import json
import re
import string
import textwrap
from pathlib import Path
from types import SimpleNamespace

import markdown
import pytest
from bs4 import BeautifulSoup

from gradvalve import live as live_python
from gradvalve_site import examples, live, values, words

ROOT = Path(__file__).parents[2]
LANGUAGES = ["en", "de", "fr", "ar"]
EXAMPLE = """\
from gradvalve.live import choice, plot, slider, table

s = slider("size", 0.5, 0, 2)
kind = choice("kind of row", ["one", "two"])
print("half:", s)
print("d/dx:", -1.0)
print('</script> & "quoted"')
table(["name"], [["first row" if kind == "one" else "second row"]])
plot([1, 2], [("s", [1, s])])
"""
LABELS = {
    "size": "Größe",
    "kind of row": "Art der Zeile",
    "one": "eins",
    "two": "zwei",
    "name": "Name",
    "first row": "erste Zeile",
    "second row": "zweite Zeile",
}
MARKDOWN = markdown.Markdown(
    extensions=["admonition", "attr_list", "pymdownx.highlight", "pymdownx.superfences"],
    extension_configs={"pymdownx.highlight": {"pygments_lang_class": True}},
)


def fence(labels=None, example="trial", title="Trial", **more):
    lines = [f"example: {example}", f"title: {title}"]
    if isinstance(labels, str):
        lines.append(f"labels: {labels}")
    elif labels:
        lines += ["labels:", *(f"  {text}: {label}" for text, label in labels.items())]
    lines += [f"{key}: {value}" for key, value in more.items()]
    return "\n".join(["```live", *lines, "```"])


@pytest.fixture
def config(tmp_path):
    (tmp_path / "live").mkdir()
    return SimpleNamespace(docs_dir=tmp_path)


@pytest.fixture
def shown(config, tmp_path):
    """A function that makes HTML of a page in which the example stands."""

    def show(text, language="en", code=EXAMPLE):
        (tmp_path / "live/trial.py").write_text(code, encoding="utf-8")
        source = tmp_path / "page.md"
        source.write_text(f"---\ntitle: Page\n---\n\n{text}\n", encoding="utf-8")
        file = SimpleNamespace(locale=language, src_uri="page.md", abs_src_path=source)
        page = SimpleNamespace(file=file, meta={})
        filled = values.fill(live.fill(text, page, config), page, config)
        return live.place(MARKDOWN.reset().convert(filled), page)

    return show


def soup(text):
    return BeautifulSoup(text, "lxml")


def data(text):
    return json.loads(soup(text).select_one("script.gv-live__data").string)


def test_the_code_is_the_block_that_markdown_makes(shown):
    block = MARKDOWN.reset().convert(f"```python\n{EXAMPLE}```")

    (code,) = soup(shown(fence())).select(".gv-live__code[dir=ltr] pre")

    assert str(code) == str(soup(block).pre)
    assert code.text == EXAMPLE


def test_an_example_is_a_group_with_a_name(shown):
    (group,) = soup(shown(fence(title='"A < \\"b\\""'))).select("[role=group]")

    assert (group["aria-label"], group["data-example"], group["dir"]) == ('A < "b"', "trial", "ltr")


def test_controls_and_output_are_those_of_the_run(shown):
    html = shown(fence())
    result = live_python.run(EXAMPLE, {}, examples.texts("en", {}))

    for part in ("controls", "output"):
        (place,) = soup(html).select(f".gv-live__{part}")
        assert (
            place.decode_contents()
            == soup(f"<div>{live.html(result[part])}</div>").div.decode_contents()
        )
    assert [field["name"] for field in soup(html).select("input, select")] == [
        "size",
        "kind of row",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_buttons_and_states_speak_the_language(shown, language):
    labels = None if language == "en" else LABELS
    html = soup(shown(fence(labels), language))

    assert {b["data-action"]: b.text for b in html.select("button[type=button]")} == (
        words.LIVE_BUTTONS[language]
    )
    assert html.select_one(".gv-live__note").text == words.LIVE_MESSAGES[language]["published"]
    assert html.select_one(".gv-live")["dir"] == ("rtl" if language == "ar" else "ltr")


def test_labels_take_the_place_of_english_texts(shown):
    html = soup(shown(fence(LABELS), "de"))

    assert [each.text for each in html.select(".gv-control > span")] == ["Größe", "Art der Zeile"]
    assert [each.text for each in html.select("option")] == ["eins", "zwei"]
    assert html.select_one("td").text == "erste Zeile"
    assert html.select_one("label output").text == "0,5"
    assert html.select_one("pre.gv-text").text.startswith("half: 0.5\nd/dx: -1.0\n")


def test_the_data_say_what_the_script_needs(shown):
    given = data(shown(fence(LABELS), "de"))

    assert given == {
        "source": EXAMPLE,
        "texts": {
            "labels": LABELS,
            "words": words.LIVE_WORDS["de"],
            "decimal": ",",
            "direction": "ltr",
        },
        "messages": words.LIVE_MESSAGES["de"],
    }
    assert data(shown(fence()))["texts"]["labels"] is None


def test_text_never_becomes_html(shown):
    code = EXAMPLE.replace('"name"', '"<b onclick=x>"').replace('"size"', "'\"><script>'")
    text = shown(fence(), code=code)

    assert '</script> & "quoted"' in soup(text).select_one("pre.gv-text").text
    assert data(text)["source"] == code
    assert soup(text).select_one("th").text == "<b onclick=x>"
    assert soup(text).select_one("input")["name"] == '"><script>'
    assert len(soup(text).select("script")) == 1
    assert not soup(text).select("b")


def test_a_line_break_at_the_start_of_the_output_is_kept():
    html = live.html([["pre", {}, ["\ntext"]]])

    assert html == "<pre>\n\ntext</pre>"  # browsers drop the first


@pytest.mark.parametrize(
    "tree",
    [["script", {}, []], ["p", {"style": "color: red"}, []], ["p", {"onclick": "x()"}, []]],
)
def test_elements_and_attributes_out_of_the_lists_are_refused(tree):
    with pytest.raises(ValueError, match=f"may not draw <{tree[0]}"):
        live.html([["div", {}, [tree]]])


def test_the_script_has_the_same_lists():
    script = (ROOT / "docs/assets/javascripts/live/tree.js").read_text(encoding="utf-8")
    head = script[: script.index("export")]
    listed = set(" ".join(re.findall(r'"([^"\n]{2,})"', head)).split())

    assert listed == live.TAGS | live.ATTRIBUTES


@pytest.mark.parametrize(
    "around",
    ["1. Item\n\n{}\n\n2. Item", "!!! note\n\n    - Item\n\n    {}", "Text\n\n{}\n\nText"],
)
def test_a_fence_may_stand_wherever_code_may(shown, around):
    depth = "    " if around[0] in "1!" else ""
    inside = (
        textwrap.indent(fence(), depth).lstrip()
        if "    {}" in around
        else textwrap.indent(fence(), depth)
    )
    html = soup(shown(around.format(inside)))

    assert html.select_one(".gv-live__code pre").text == EXAMPLE
    assert html.select_one("pre.gv-text").text.startswith("half: 0.5")


def test_a_fence_inside_of_another_is_code(shown):
    html = soup(shown(f"````text\n{fence()}\n````"))

    assert html.code.text == f"{fence()}\n"
    assert not html.select(".gv-live")


def test_code_with_fences_of_its_own_stays_whole(shown):
    code = EXAMPLE + '"""\n```\n````\n"""\n'

    assert soup(shown(fence(), code=code)).select_one(".gv-live__code pre").text == code


def test_a_declared_error_is_shown_after_the_output(shown):
    code = EXAMPLE + "1 / 0\n"
    html = soup(shown(fence(error="ZeroDivisionError"), code=code))

    (problem,) = html.select(".gv-live__output > :last-child")
    assert problem["class"] == ["gv-live__problem"]
    assert problem.text.splitlines() == [
        'File "example", line 10, in <module>',
        "ZeroDivisionError: division by zero",
    ]


def test_prose_takes_numbers_from_what_the_example_prints_in_english(shown):
    text = "{{ live/trial:half }}, {{ live/trial:d/dx | .2f }}, `{{live/trial:half}}`"

    assert soup(shown(text, "de")).p.text == "0,5, \u22121,00, 0.5"
    assert soup(shown(text, "fr")).p.text == "0,5, \u22121,00, 0.5"


def without(*texts):
    return {text: label for text, label in LABELS.items() if text not in texts}


MISTAKES = {
    "code in the fence": ({"text": "```live\nprint('text')\n```"}, "and no code: that stands in"),
    "code beside the keys": ({"text": fence()[:-3] + "x = 1\n```"}, "and no code"),
    "an unknown key": ({"text": fence(code="1")}, "a fence holds example, title, labels, error"),
    "words after live": ({"text": fence().replace("live", "live x", 1)}, "a fence holds example"),
    "an empty fence": ({"text": "```live\n```"}, "a fence holds example"),
    "no title": ({"text": "```live\nexample: trial\n```"}, "'title' is missing"),
    "no example": ({"text": "```live\ntitle: Trial\n```"}, "'example' is missing"),
    "a number as title": ({"text": fence(title="5")}, "'title' has to be a text, not 5"),
    "a list of labels": (
        {"text": fence(labels="[a]")},
        "'labels' has to be lines 'English: translation', not ['a']",
    ),
    "a label that yaml misreads": (
        {"text": fence(LABELS | {"one": "1"}), "language": "de"},
        "quote what YAML misreads",
    ),
    "an unknown example": (
        {"text": fence(example="other")},
        "docs/live/other.py does not exist; the examples: trial",
    ),
    "labels in English": ({"text": fence(LABELS)}, "labels are for translations"),
    "no labels": ({"language": "fr"}, "has no label for: first row, kind of row, name, one, s"),
    "a label missing": (
        {"text": fence(without("name")), "language": "de"},
        "the example 'trial' has no label for: name",
    ),
    "a label missing that only another choice needs": (
        {"text": fence(without("second row")), "language": "de"},
        "the example 'trial' has no label for: second row",
    ),
    "a label that nothing uses": (
        {"text": fence(LABELS | {"third row": "dritte Zeile"}), "language": "de"},
        "the example 'trial' does not use the label: third row",
    ),
    "an error that is not declared": (
        {"code": EXAMPLE + "1 / 0\n"},
        'docs/live/trial.py fails:\nFile "example", line 10, in <module>\nZeroDivisionError: ',
    ),
    "another error than declared": (
        {"text": fence(error="TypeError"), "code": EXAMPLE + "1 / 0\n"},
        "docs/live/trial.py fails:",
    ),
    "a declared error that does not come": (
        {"text": fence(error="TypeError")},
        "docs/live/trial.py does not raise the declared TypeError",
    ),
    "an error at another choice": (
        {"code": EXAMPLE + "if kind == 'two':\n    raise KeyError(kind)\n"},
        "docs/live/trial.py fails with {'kind of row': 'two'}:",
    ),
    "an error at the end of a slider": (
        {"code": EXAMPLE + "1 / (2 - s)\n"},
        "docs/live/trial.py fails with {'size': '2'}:",
    ),
    "an error of syntax": ({"code": "for\n"}, "SyntaxError: "),
    "the example twice": ({"text": f"{fence()}\n\n{fence()}"}, "stands on the page twice"),
    "a fence that is indented like code": (
        {"text": textwrap.indent(fence(), "    ")},
        "no block of code can stand here",
    ),
    "a key that is not printed": ({"text": "{{ live/trial:other }}"}, "its keys: half, d/dx"),
    "a number of no example": ({"text": "{{ live/other:half }}"}, "docs/live/other.py does not"),
    "a key that is printed twice": (
        {"text": "{{ live/trial:half }}", "code": EXAMPLE + "print('half: 2')\n"},
        "the key 'half' is printed twice",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_refused_with_file_line_and_reason(shown, mistake):
    given, reason = MISTAKES[mistake]
    given = {"text": fence()} | given
    line = 8 if given["text"].startswith(" ") else 7  # there only the line of its name is known
    text = f"First line.\n\n{given.pop('text')}"

    with pytest.raises(Exception, match=rf"docs/page\.md:{line}: ") as caught:
        shown(text, **given)
    assert reason in str(caught.value)


def fields(template):
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_words_of_the_tool_are_translated(language):
    translated = words.LIVE_WORDS[language]

    assert translated.keys() == live_python.WORDS.keys()
    for key, template in translated.items():
        assert fields(template) == fields(live_python.WORDS[key]), key
    for table in (words.LIVE_BUTTONS, words.LIVE_MESSAGES):
        assert table[language].keys() == table["en"].keys()
        assert not set(table[language].values()) & set(table["en"].values())


def test_every_message_is_said_somewhere():
    scripts = (ROOT / "docs/assets/javascripts/live").glob("*.js")
    said = set(re.findall(r"\w+", " ".join(path.read_text(encoding="utf-8") for path in scripts)))

    assert not words.LIVE_MESSAGES["en"].keys() - said


def test_pages_with_an_example_load_its_script_and_others_do_not(site):
    for page in site.rglob("index.html"):
        html = soup(page.read_text(encoding="utf-8"))
        scripts = [script["src"] for script in html.select("script[type=module][src$='/live.js']")]
        assert bool(scripts) == bool(html.select(".gv-live")), page


def test_the_search_leaves_out_controls_buttons_and_data(shown):
    html = soup(shown(fence()))

    for part in ("controls", "buttons", "note", "status"):
        assert html.select_one(f".gv-live__{part}").has_attr("data-pagefind-ignore")


def test_a_mistake_in_a_page_stops_the_strict_build(project):
    project.append("en/index.md", "\n```live\nprint(1)\n```\n")
    line = (project.folder / "docs/en/index.md").read_text(encoding="utf-8").count("\n") - 2

    done = project.build()

    assert done.returncode != 0
    assert f"docs/en/index.md:{line}: live: a fence holds" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("language", words.LIVE_MESSAGES)
def test_every_problem_of_the_runner_has_a_message(language):
    runner = ROOT / "docs/assets/javascripts/live/runner.js"
    problems = re.findall(r'problem: "(\w+)"', runner.read_text(encoding="utf-8"))

    assert problems
    assert set(problems) <= words.LIVE_MESSAGES[language].keys()
