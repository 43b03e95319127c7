"""Runs live examples as the reader's browser does, but under CPython.

docs/live/NAME.py is the code of an example: it asks for its controls and prints, draws and
tabulates through gradvalve.live. live.py puts what comes out into the pages.
"""

import functools
import json
from itertools import product
from pathlib import Path

from gradvalve import live
from gradvalve_site import snippets
from gradvalve_site.words import LIVE_WORDS, SEPARATORS


def source(name: str, config) -> str:
    """Return the code of an example, or raise LookupError."""
    folder = Path(config.docs_dir, "live")
    path = folder / f"{name}.py"
    if not path.is_file():
        known = ", ".join(sorted(path.stem for path in folder.glob("*.py"))) or "none"
        raise LookupError(f"docs/live/{name}.py does not exist; the examples: {known}")
    return path.read_text(encoding="utf-8")


def texts(language: str, labels: dict[str, str]) -> dict:
    """Return what `live.run` needs to speak a language."""
    return {
        "labels": None if language == "en" else labels,
        "words": LIVE_WORDS[language],
        "decimal": SEPARATORS[language][0],
        "direction": "rtl" if language == "ar" else "ltr",
    }


def values(name: str, config) -> dict[str, str]:
    """Return the values of the lines `key: value` that the example prints in English."""
    return _values(name, source(name, config))


@functools.cache
def _values(name, code):
    output = live.run(code, {}, texts("en", {}))["output"]
    printed = [
        "".join(children)
        for tag, attributes, children in output
        if tag == "pre" and attributes.get("class") == "gv-text"
    ]
    return snippets.parse("\n".join(printed), f"the output of docs/live/{name}.py")


def explore(code: str, language: str, labels: dict[str, str]) -> tuple[set, set, dict]:
    """Try the controls: each combination of choices, and both ends of each slider.

    Returns the labels that were used, the texts that have none, and {error: settings}.
    """
    # Marks instead of translations: what comes out tells which were used.
    marks = {text: f"\ue000{i}\ue001" for i, text in enumerate(labels)}
    used, missing, errors = set(), set(), {}
    published = live.run(code, {}, texts(language, marks))
    for settings in [{}, *_settings(published["controls"])]:
        result = live.run(code, settings, texts(language, marks))
        shown = json.dumps(result, ensure_ascii=False)
        used |= {text for text, mark in marks.items() if mark in shown}
        missing |= set(result["missing"])
        if result["error"]:
            errors.setdefault(result["error"], settings)
    return used, missing, errors


def _settings(controls):
    """Yield the settings to try besides those at the start."""
    choices, ends = {}, []
    for _, _, (_, (tag, attributes, options), *_) in controls:
        name = attributes["name"]
        if tag == "select":
            choices[name] = [option[1]["value"] for option in options]
        else:
            ends += [{name: attributes["min"]}, {name: attributes["max"]}]
    for chosen in product(*choices.values()):
        yield dict(zip(choices, chosen, strict=True))
    yield from ends
