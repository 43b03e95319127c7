"""Turns the formulas of the pages into MathML while the site is built: readers load no script."""

import functools
import html
import json
import re
import subprocess
import sys
from pathlib import Path

from mkdocs.exceptions import PluginError

from gradvalve_site.errors import page_error

FORMULA = re.compile(  # as pymdownx.arithmatex marks it
    r'(?P<start><(?:span|(?P<displayed>div)) class="arithmatex">)'
    r"\\[(\[](?P<tex>.*?)\\[)\]](?P<end></(?:span|div)>)",
    re.DOTALL,
)


@functools.cache
def converter():
    """Start the one Node process that converts all formulas of a build."""
    node = Path(sys.executable).with_name("node")  # the one that the project installs
    script = Path(__file__).with_suffix(".mjs")
    pipe = subprocess.PIPE
    return subprocess.Popen([node, script], stdin=pipe, stdout=pipe, encoding="utf-8")


def stop():
    """End the Node process."""
    if converter.cache_info().currsize:
        converter().communicate()
        converter.cache_clear()


def to_mathml(content, page):
    """Return the HTML of a page with its formulas as MathML."""
    found = FORMULA.finditer(content)
    formulas = [(html.unescape(each["tex"]), bool(each["displayed"])) for each in found]
    if not formulas:
        return content
    print(json.dumps(formulas), file=converter().stdin, flush=True)
    answer = converter().stdout.readline()
    if not answer:
        raise PluginError(f"docs/{page.file.src_uri}: Node ended before it converted the formulas")
    answers = iter(json.loads(answer))

    def replace(found):
        converted = next(answers)
        if "error" in converted:
            tex = html.unescape(found["tex"])
            raise page_error(page, tex, f"formula {tex.strip()}: {converted['error']}")
        return found["start"] + converted["mathml"] + found["end"]

    return FORMULA.sub(replace, content)
