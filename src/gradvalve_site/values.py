"""Puts the numbers of recorded outputs into the pages.

`{{ scale/with_tensorflow:gradient }}` is the value of the line `gradient: …` in
docs/snippets/scale/with_tensorflow.txt. In prose it is written as the page's language writes
numbers; in inline code and in formulas it stays as printed. `{{ source:key | .2f }}` formats it
first. Fenced code is left alone.
"""

import re
from pathlib import Path

from gradvalve_site import snippets
from gradvalve_site.errors import page_error

# Earlier alternatives win: a placeholder inside of code or a formula belongs to it.
PART = re.compile(
    r"(?P<fence>^[ \t]*(?P<marks>`{3,}|~{3,}).*?^[ \t]*(?P=marks)[ \t]*$)"
    r"|(?P<verbatim>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|\$\$.+?\$\$|(?<!\\)\$[^$\n]+\$)"
    r"|(?P<prose>\{\{.*?\}\})",
    re.DOTALL | re.MULTILINE,
)
PLACEHOLDER = re.compile(r"\{\{\s*(?P<source>[\w/]+):(?P<key>\w+)\s*(?:\|(?P<spec>[^{}]*))?\}\}")
NUMBER = re.compile(r"(?P<minus>-?)(?P<digits>[\d,]*\.?\d+)(?P<exponent>e[-+]?\d+)?")
COMMA_LANGUAGES = ["de", "fr"]
TO_COMMA = str.maketrans({",": "\u202f", ".": ","})  # a narrow space between thousands


def fill(markdown, page, config):
    """Return the page's Markdown with every placeholder replaced."""

    def value(placeholder):
        try:
            text = lookup(placeholder["source"], placeholder["key"], config.docs_dir)
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
            reason = "write {{ topic/with_framework:key }} or {{ topic/with_framework:key | .2f }}"
            raise page_error(page, part[0], f"{part[0]}: {reason}")
        return localized(value(placeholder), page.file.locale)

    return PART.sub(replace, markdown)


def lookup(source, key, docs):
    """Return what the snippet `source` printed after `key: `, or raise LookupError."""
    record = Path(docs, "snippets", f"{source}.txt")
    if not record.is_file():
        raise LookupError(f"docs/snippets/{source}.txt does not exist")
    values = snippets.values(record)
    if key not in values:
        keys = ", ".join(values) or "none"
        raise LookupError(f"docs/snippets/{source}.txt has no '{key}'; its keys: {keys}")
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
