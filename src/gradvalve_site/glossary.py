"""The glossary: its entries, and the links that lead to them.

In docs/LANGUAGE/reference/glossary.md, `{{ term:backward pass }}` becomes a row of docs/terms.csv:
the term in the page's language, then in the others. On all other pages the first use of each of
these terms becomes a link to its entry.
"""

import re
from functools import cache
from pathlib import Path
from posixpath import dirname, relpath

from gradvalve_site.checks import terms
from gradvalve_site.checks.page import APART, LANGUAGES, MARKUP, parse
from gradvalve_site.errors import page_error

PAGE = "reference/glossary.md"
PLACEHOLDER = re.compile(r"\{\{ *term:([^{}]+?) *\}\}")
LINK_TEXT = re.compile(rf"\[[^\[\]]*?(?={MARKUP})")
# What in the file belongs to a term, but not to each use of it in a sentence.
APPENDED = re.compile(r" ?\([^()]*\)|^(?:der|die|das|les?|la) |^l'|^ال|[;؛].*")
ENDINGS = {"en": "(?:e?s)?", "de": "(?:e[mnrs]?|n|s)?", "fr": "[sx]?", "ar": r"\w{0,2}"}


def fill(markdown, page, config):
    """Return the glossary's Markdown with the names of its terms."""
    language = page.file.locale

    def entry(placeholder):
        row = _rows(_file(config)).get(placeholder[1])
        if not row:
            raise page_error(page, placeholder[0], f"docs/terms.csv has no '{placeholder[1]}'")
        others = " · ".join(
            f'<span lang="{each}" dir="{"rtl" if each == "ar" else "ltr"}">{row[each]}</span>'
            for each in LANGUAGES
            if each != language
        )
        return (
            f'<strong id="{_id(placeholder[1])}">{row[language]}</strong> <small>{others}</small>'
        )

    return PLACEHOLDER.sub(entry, markdown)


def link(markdown, page, config):
    """Return the page's Markdown with a link where it uses a term of the glossary first."""
    language, name = page.file.src_uri.split("/", 1)
    if name == PAGE:
        return markdown
    prose, positions = terms.without_signs(_linkable(markdown, Path(name), language))
    lower = prose.lower()
    first = {}  # use of each term: its start and end
    for term, pattern, part in _patterns(Path(config.docs_dir), language):
        if part not in lower:  # a quick look before a slow one
            continue
        for match in pattern.finditer(prose):
            use = positions[match.start()], positions[match.end() - 1] + 1
            first[term] = min(use, first.get(term, use))
        prose = pattern.sub(lambda match: APART * len(match[0]), prose)  # no shorter term in it
    glossary = relpath(PAGE, dirname(name) or ".")
    for (start, end), term in sorted(((use, term) for term, use in first.items()), reverse=True):
        text = f"[{markdown[start:end]}]({glossary}#{_id(term)})"
        markdown = markdown[:start] + text + markdown[end:]
    return markdown


def _linkable(markdown, path, language):
    """Return the prose of a page without headings, links and the words inside of markup."""
    page = parse(markdown, path, language, str(path))
    hidden = [(block.start, block.end) for block in page.blocks if block.kind.startswith("heading")]
    hidden += [(label.start, label.end) for label in page.labels]
    hidden += [match.span() for match in LINK_TEXT.finditer(page.prose)]
    prose = page.prose
    for start, end in hidden:
        prose = prose[:start] + APART * (end - start) + prose[end:]
    return prose


def _file(config):
    return Path(config.docs_dir, "terms.csv")


@cache
def _rows(file):
    """Return the rows of the file by the name of their term in English."""
    return {re.split(r" \(| / ", row["en"])[0]: row for row in terms.rows(file)}


@cache
def _patterns(docs, language):
    """Return what to look for on a page, the longest first: term, pattern, its longest word."""
    rows = _rows(docs / "terms.csv")
    found = []
    for term in PLACEHOLDER.findall((docs / "en" / PAGE).read_text(encoding="utf-8")):
        names = rows[term][language].split(" / ") if term in rows else []
        for name in [*names, term] if language == "en" else names:
            bare, _ = terms.without_signs(APPENDED.sub("", name.strip()))
            pattern = terms.word_pattern(bare, ENDINGS[language])
            found.append((bare, term, pattern, max(bare.lower().split(), key=len)))
    return [rest for _, *rest in sorted(found, key=lambda each: -len(each[0]))]


def _id(term):
    return term.lower().replace(" ", "-")
