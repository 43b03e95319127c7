"""Structure: a translation differs from the English page in its words only."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from posixpath import dirname, join, normpath
from typing import NamedTuple

from mkdocs.utils.meta import get_data

from gradvalve_site.checks.page import Complaint, Page, Pages, Part

# What is compared within a section: in order, with the number of times, or as a set (a sentence
# may mention these once more or once less).
IN_ORDER = ["fence", "live example", "admonition", "alignment", "include"]
COUNTED = ["placeholder", "link", "image", "html", "attributes"]
AS_SET = ["code", "formula", "number"]
# Only translations have labels of figures and of live examples; the build compares them.
OF_FIGURES = re.compile(r"\A---\n(?:.+\n)*?(labels:\n(?: .+\n)+)")
LABELS = re.compile(r"\n( *)labels:.*(?:\n\1 +.+)*")


class Section(NamedTuple):
    id: str | None  # of its heading
    start: int
    parts: list[Part]

    def of(self, kind: str) -> list[Part]:
        return [part for part in self.parts if part.kind == kind]


def check(page: Page, pages: Pages) -> Iterator[Complaint]:
    """Yield what is wrong with front matter, headings and links, or differs from English."""
    english = pages.get(("en", page.name))
    for position, message in [
        *_front_matter(page, english or page),
        *_headings(page),
        *_links(page, pages),
        *(_differences(page, english) if english and english is not page else []),
    ]:
        yield page.complaint(position, "structure", message)


def sections(page: Page) -> list[Section]:
    found = [Section(None, 0, [])]  # what stands above the first heading
    for block in page.blocks:
        if heading := re.fullmatch(r"heading of level .(?: \{ #(.+) \})?", block.kind):
            found.append(Section(heading[1], block.start, []))
    # Words of live examples and of figures may name code and numbers; only translations have them.
    apart = [
        range(label.start, label.end) for label in page.labels if label.kind == "of live example"
    ]
    apart += [range(*found.span(1)) for found in OF_FIGURES.finditer(page.text)]
    for part in [*page.parts, *_numbers(page)]:
        if any(part.start in label for label in apart):
            continue
        next(s for s in reversed(found) if s.start <= part.start).parts.append(part)
    return found


def _numbers(page: Page) -> Iterator[Part]:
    """Yield the numbers of the prose as Python writes them.

    Not the integers up to ten, which languages write in words or in digits as they like.
    """
    for match in re.finditer(r"(?<![A-Za-z0-9])[0-9]+(?:[.,\u202f][0-9]+)*", page.prose):
        plain = match[0].replace("\u202f", "")
        plain = plain.replace(",", "." if page.language in ("de", "fr") else "")
        if not plain.isdigit() or int(plain) > 10:
            yield Part("number", plain, match.start())


def _front_matter(page: Page, english: Page):
    ours, theirs = get_data(page.text)[1], get_data(english.text)[1]
    for key in ("title", "description"):
        if not isinstance(ours.get(key), str):
            yield 0, f"the front matter needs a {key}; quote a value that contains a colon"
    # The build compares labels with the figures. Of captions, only the cells are the same.
    own = {"title", "description", "keywords", "source_hash", "labels"}
    for key in (ours.keys() | theirs.keys()) - own:
        mine, other = ours.get(key), theirs.get(key)
        if key == "captions" and mine and other:
            mine, other = list(mine), list(other)
        if mine != other:
            yield 0, f"the value of {key} differs from the front matter of {english.path}"


def _headings(page: Page):
    ours = sections(page)[1:]
    times = Counter(section.id for section in ours)
    for section in ours:
        if section.id is None or times[section.id] > 1:
            yield section.start, "a heading needs an id of its own: ## Words { #english-words }"


def _links(page: Page, pages: Pages):
    for part in page.parts:
        target = re.match(r"\]\((?!\w+:)([^)#\s]*\.md|)(?:#([\w-]+))?[) ]", part.text)
        if part.kind != "link" or not target:
            continue
        name = normpath(join(dirname(page.name), target[1])) if target[1] else page.name
        there = pages.get((page.language, name))
        if there is None:
            yield part.start, f"there is no page {target[1]}"
        elif target[2] and target[2] not in {section.id for section in sections(there)}:
            yield part.start, f"{there.path} has no heading {{ #{target[2]} }}"


def _differences(page: Page, english: Page):
    for mine, other in zip_longest(page.blocks, english.blocks):
        if mine and other and mine.kind == other.kind:
            continue
        where = english.where(other.start if other else len(english.text))
        found, wanted = (block.kind if block else "nothing more" for block in (mine, other))
        start = mine.start if mine else len(page.text)
        yield start, f"{found} stands where {where} has {wanted}"
        return  # what follows is out of step for this reason
    for our, their in zip(sections(page), sections(english), strict=True):
        yield from _different_parts(our, their, english)


def _different_parts(our: Section, their: Section, english: Page):
    for kind in IN_ORDER:
        for mine, other in zip(our.of(kind), their.of(kind), strict=False):
            if _without_labels(mine) != _without_labels(other):
                yield mine.start, f"this {kind} differs from {english.where(other.start)}"
    for kind in COUNTED + AS_SET:
        for part in _beyond(our.of(kind), their.of(kind), kind in COUNTED):
            message = f"the {kind} {part.text!r} isn't in this section of {english.path}"
            yield part.start, message
        for part in _beyond(their.of(kind), our.of(kind), kind in COUNTED):
            message = f"the {kind} {part.text!r} of {english.where(part.start)} is missing"
            yield our.start, message


def _without_labels(part: Part) -> str:
    return LABELS.sub("", part.text) if part.kind == "live example" else part.text


def _beyond(parts: list[Part], others: list[Part], counted: bool) -> Iterator[Part]:
    """Yield the parts that have no counterpart among the others."""
    left = [part.text for part in others]
    for part in parts:
        if part.text not in left:
            left.append(part.text)  # say it once
            yield part
        if counted:
            left.remove(part.text)
