"""Puts the numbers of recorded outputs into the pages.

`{{ scale/with_tensorflow:gradient }}` is the value of the line `gradient: …` in
docs/snippets/scale/with_tensorflow.txt, `{{ muzero_unroll:both_50 }}` that of `both_50: …` in what
notebooks/muzero_unroll.py printed, `{{ live/two_valves:dz/dx }}` that of `dz/dx: …` in what the
live example docs/live/two_valves.py prints. In prose it is written as the page's language writes
numbers; in inline code and in formulas it stays as printed. `{{ source:key | .2f }}` formats it
first. Fenced code is left alone.
"""

import re
from pathlib import Path

from gradvalve_site import examples, notebooks, snippets
from gradvalve_site.errors import page_error

# Code and formulas. A placeholder inside of one belongs to it, so this has to be tried first.
CODE = re.compile(
    r"(?P<fence>^[ \t]*(?P<marks>`{3,}|~{3,}).*?^[ \t]*(?P=marks)[ \t]*$)"
    r"|(?P<verbatim>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|\$\$.+?\$\$|(?<!\\)\$[^$\n]+\$)",
    re.DOTALL | re.MULTILINE,
)
PART = re.compile(rf"{CODE.pattern}|(?P<prose>\{{\{{.*?\}}\}})", CODE.flags)
PLACEHOLDER = re.compile(
    r"\{\{\s*(?P<source>[\w/]+):(?P<key>[^\s|{}][^|{}]*?)\s*(?:\|(?P<spec>[^{}]*))?\}\}"
)
NUMBER = re.compile(r"(?P<minus>-?)(?P<digits>[\d,]*\.?\d+)(?P<exponent>e[-+]?\d+)?")
COMMA_LANGUAGES = ["de", "fr"]
TO_COMMA = str.maketrans({",": "\u202f", ".": ","})  # a narrow space between thousands


def fill(markdown, page, config):
    """Return the page's Markdown with every placeholder replaced."""

    def value(placeholder):
        try:
            text = lookup(placeholder["source"], placeholder["key"], config)
            return formatted(text, placeholder["spec"])
        except (LookupError, ValueError) as error:
            raise page_error(page, placeholder[0], f"{placeholder[0]}: {error.args[0]}") from None

    def replace(part):
        if part["fence"]:
            return part[0]
        if part["verbatim"]:
            return PLACEHOLDER.sub(value, part[0])
        placeholder = PLACEHOLDER.fullmatch(part[0])
        if not placeholder:
            reason = "write {{ topic/with_framework:key }}, {{ notebook:key }} or {{ …:key | .2f }}"
            raise page_error(page, part[0], f"{part[0]}: {reason}")
        return localized(value(placeholder), page.file.locale)

    return PART.sub(replace, markdown)


def lookup(source, key, config):
    """Return what the file that `source` names printed after `key: `, or raise LookupError."""
    if source.startswith("live/"):
        place = f"the output of docs/{source}.py"
        values = examples.values(source.removeprefix("live/"), config)
    elif "/" in source:
        place = f"docs/snippets/{source}.txt"
        record = Path(config.docs_dir, "snippets", f"{source}.txt")
        if not record.is_file():
            raise LookupError(f"{place} does not exist")
        values = snippets.values(record)
    else:
        place = f"the output of notebooks/{source}.py"
        values = notebooks.values(notebooks.load(source, notebooks.source_folder(config)))
    if key not in values:
        keys = ", ".join(values) or "none"
        raise LookupError(f"{place} has no '{key}'; its keys: {keys}")
    return values[key]


def formatted(text, spec):
    """Return the number in `text` after Python's format `spec`; without one, the text as it is."""
    if not spec:
        return text
    number = int(text) if text.lstrip("-").isdigit() else float(text)
    return format(number, spec.strip())


def localized(text, language):
    """Return a number as prose in this language writes it, and anything else as it is."""
    number = NUMBER.fullmatch(text)
    if not number:
        return text
    if language in COMMA_LANGUAGES:
        text = text.translate(TO_COMMA)
    text = text.replace("-", "\u2212")
    # In text that runs from right to left, signs would change sides.
    alone = language == "ar" and (number["minus"] or number["exponent"])
    return f'<bdi dir="ltr">{text}</bdi>' if alone else text


def outside_code(pattern, replacement, text):
    """Return the text with each match of `pattern` replaced, but not in code and formulas."""
    parts = re.compile(f"{CODE.pattern}|{pattern}", CODE.flags)
    return parts.sub(
        lambda part: part[0] if part["fence"] or part["verbatim"] else replacement(part), text
    )
