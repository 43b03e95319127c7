"""Marks English words on pages of other languages, so that they are read aloud as English.

On Arabic pages these are all words in Latin letters; on German and French ones, the English names
of terms, which stand in italics.
"""

import re
from functools import cache
from pathlib import Path

from gradvalve_site.checks import terms

# Its own language and code are left alone, with all that is in it.
APART = re.compile(
    r"<(?P<tag>code|pre|math|svg|script|style|\w+(?= [^<>]*lang=))\b[^<>]*>.*?</(?P=tag)>|<[^<>]*>",
    re.DOTALL,
)
WORD = r"[A-Za-z][A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*"
LATIN = re.compile(rf"(?<![&\w]){WORD}(?: {WORD})*")
ITALICS = re.compile(r"<em>([A-Za-z][A-Za-z -]+)</em>")


def mark(html, page, config):
    """Return the HTML of a page with its English words marked."""
    if page.file.locale == "ar":
        return _outside(APART, lambda text: LATIN.sub(r'<span lang="en">\g<0></span>', text), html)
    if page.file.locale == "en":
        return html
    names = _names(Path(config.docs_dir, "terms.csv"), page.file.locale)

    def english(italics):
        return f'<em lang="en">{italics[1]}</em>' if italics[1].lower() in names else italics[0]

    return ITALICS.sub(english, html)


def _outside(pattern, change, text):
    """Return the text with `change` applied to all that the pattern does not match."""
    parts, end = [], 0
    for found in pattern.finditer(text):
        parts += [change(text[end : found.start()]), found[0]]
        end = found.end()
    return "".join([*parts, change(text[end:])])


@cache
def _names(file, language):
    """Return the English names of terms, but for those that the language has made its own."""
    english, own = set(), set()
    for row in terms.rows(file):
        for name in row["en"].split(" / "):
            english |= {name.lower(), re.sub(r" ?\(.*?\)", "", name).lower()}
        english |= {name.lower() for name in re.findall(r"\(([A-Za-z -]+)\)", row[language])}
        own |= set(re.sub(r"\(.*?\)", "", row[language]).lower().replace("'", " ").split())
    return english - own
