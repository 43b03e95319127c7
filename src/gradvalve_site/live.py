"""Puts live examples into the pages. A fence names one:

    ```live
    example: two_valves           # docs/live/two_valves.py
    title: Two valves
    labels:                       # in translations: each English text of the example, translated
      scale of y: Skalierung von y
    error: ZeroDivisionError      # only if the example is meant to raise it
    ```

Before Markdown, the fence becomes the example's code block, which Markdown makes like all others.
Afterwards, controls, buttons and output are put around it, and the data for the script that brings
them to life: assets/javascripts/live.js.
"""

import json
import re
import textwrap
from html import escape
from typing import NamedTuple

import yaml

from gradvalve import live
from gradvalve.drawing import markup
from gradvalve_site import examples
from gradvalve_site.errors import page_error
from gradvalve_site.values import CODE
from gradvalve_site.words import LIVE_BUTTONS, LIVE_MESSAGES

FENCE = re.compile(
    r"(?P<indent>[ \t]*)(?P<marks>[`~]+) *live\b(?P<more>.*)\n"
    r"(?P<body>(?s:.*)\n)?[ \t]*(?P=marks)[ \t]*"
)
KEYS = {"example": str, "title": str, "labels": dict, "error": str}
BLOCK = re.compile(
    r'<div id="live-(\w+)" class="language-python no-copy highlight">(<pre>.*?</pre>)</div>', re.S
)
# What may stand in controls and output. assets/javascripts/live/tree.js has the same list.
TAGS = set(
    "p pre code table caption thead tbody tr th td label span input select option output div "
    "svg g path line polyline polygon rect circle text tspan title".split()
)
ATTRIBUTES = set(
    "class viewBox width height x y x1 y1 x2 y2 cx cy r rx d points transform text-anchor "
    "stroke-width direction dir role aria-label scope type name min max step value selected "
    "tabindex".split()
)


class Example(NamedTuple):
    title: str
    result: dict  # of live.run
    data: dict  # for the script


def fill(markdown, page, config):
    """Return the page's Markdown with the code of its live examples; keep the rest in its meta."""
    shown = {}

    def replace(part):
        fence = part["fence"] and FENCE.fullmatch(part[0])
        if not fence:
            return part[0]

        def error(reason):
            return page_error(page, part[0], f"live: {reason}")

        name, title, labels, wanted = _read(fence, page, error)
        if name in shown:
            raise error(f"the example '{name}' stands on the page twice")
        try:
            code = examples.source(name, config)
        except LookupError as reason:
            raise error(reason.args[0]) from None
        shown[name] = _example(name, code, title, labels, wanted, page, error)
        marks = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", code))])
        block = f"{marks}{{ .python .no-copy #live-{name} }}\n{code.rstrip()}\n{marks}"
        return textwrap.indent(block, fence["indent"])

    filled = CODE.sub(replace, markdown)
    if shown:
        page.meta["live"] = shown
    return filled


def _read(fence, page, error):
    """Return what a fence says: name, title, labels and the error that it declares."""
    try:
        given = yaml.safe_load(textwrap.dedent(fence["body"] or ""))
    except yaml.YAMLError:
        given = None
    known = ", ".join(KEYS)
    if fence["more"].strip() or not isinstance(given, dict) or not given.keys() <= KEYS.keys():
        raise error(f"a fence holds {known}, and no code: that stands in docs/live/")
    for key, value in given.items():
        texts = [*value, *value.values()] if isinstance(value, dict) else [value]
        if not isinstance(value, KEYS[key]) or not all(isinstance(each, str) for each in texts):
            wanted = "lines 'English: translation'" if key == "labels" else "a text"
            raise error(f"'{key}' has to be {wanted}, not {value!r}; quote what YAML misreads")
    for key in ("example", "title"):
        if not given.get(key):
            raise error(f"'{key}' is missing")
    labels = given.get("labels", {})
    if labels and page.file.locale == "en":
        raise error("labels are for translations: an example speaks English")
    return given["example"], given["title"], labels, given.get("error")


def _example(name, code, title, labels, wanted, page, error):
    """Run the example, and check that it has the labels that it needs and fails as declared."""
    language = page.file.locale
    used, missing, errors = examples.explore(code, language, labels)
    for text, settings in errors.items():
        if _kind(text) != wanted:
            where = f" with {settings}" if settings else ""
            raise error(f"docs/live/{name}.py fails{where}:\n{text}")
    if missing:
        raise error(f"the example '{name}' has no label for: {', '.join(sorted(missing))}")
    if unused := labels.keys() - used:
        raise error(f"the example '{name}' does not use the label: {', '.join(sorted(unused))}")
    texts = examples.texts(language, labels)
    result = live.run(code, {}, texts)
    if wanted and _kind(result["error"]) != wanted:
        raise error(f"docs/live/{name}.py does not raise the declared {wanted}")
    data = {"source": code, "texts": texts, "messages": LIVE_MESSAGES[language]}
    return Example(title, result, data)


def _kind(text):
    """Return the name of the exception with which a traceback ends."""
    return text and text.splitlines()[-1].partition(":")[0]


def place(content, page):
    """Return the HTML of a page with its live examples around their code."""
    left = dict(page.meta.get("live", {}))

    def replace(found):
        return _html(found[1], found[2], left.pop(found[1]), page.file.locale)

    placed = BLOCK.sub(replace, content)
    for name in left:
        reason = "live: no block of code can stand here; put the fence into the running text"
        raise page_error(page, f"example: {name}", reason)
    return placed


def _html(name, block, example, language):
    direction = example.data["texts"]["direction"]
    buttons = "".join(
        f'<button type="button" data-action="{action}">{word}</button>'
        for action, word in LIVE_BUTTONS[language].items()
    )
    output, error = list(example.result["output"]), example.result["error"]
    if error:
        output.append(["pre", {"class": "gv-live__problem", "dir": "ltr"}, [error]])
    # A script ends at the first "</script", wherever it stands.
    data = json.dumps(example.data, ensure_ascii=False, separators=(",", ":"))
    data = data.replace("<", "\\u003c")
    return f"""\
<div class="gv-live" role="group" aria-label="{escape(example.title)}" data-example="{name}" \
dir="{direction}">
<div class="gv-live__code" dir="ltr"><div class="language-python no-copy highlight">{block}</div>\
</div>
<div class="gv-live__controls" data-pagefind-ignore>{html(example.result["controls"])}</div>
<p class="gv-live__buttons" data-pagefind-ignore>{buttons}</p>
<p class="gv-live__note" data-pagefind-ignore>{example.data["messages"]["published"]}</p>
<div class="gv-live__output">{html(output)}</div>
<p class="gv-live__status" role="status" data-pagefind-ignore></p>
<script type="application/json" class="gv-live__data">{data}</script>
</div>"""


def html(trees):
    """Return trees of `live.run` as HTML; what isn't in the lists is refused."""
    for tree in trees:
        _check(tree)
    return "".join(map(markup, trees))


def _check(tree):
    if isinstance(tree, str):
        return
    tag, attributes, children = tree
    if tag not in TAGS or not attributes.keys() <= ATTRIBUTES:
        raise ValueError(f"a live example may not draw <{tag} {' '.join(attributes)}>")
    for child in children:
        _check(child)
