"""Reads a page and tells its prose from everything else.

`Page.prose` is the text of the page in which every character that is not prose is overwritten by
a filler, line breaks excepted. A position in the prose is the same position in the text, so a
check that looks at the prose can neither see nor change code.
"""

import re
from pathlib import Path
from typing import NamedTuple

LANGUAGES = ["en", "de", "fr", "ar"]  # English is the source of the others

CODE = "\ue000"  # fills code and formulas: a word of the sentence
NUMBER = "\ue001"  # fills a placeholder {{ … }}: mostly a number of the sentence
MARKUP = "\ue002"  # fills what is not part of the sentence
APART = "\ue003"  # fills what is not part of any paragraph
FILLERS = CODE + NUMBER + MARKUP + APART

# The words for readers in front matter and inside of markup: titles, captions, alternative texts,
# labels. Captions and labels are indented, as `cell: text` or `"English label": text`.
VALUE = r"^(?:title|description| +(?:\"[^\"\n]*\"|[^\":\n]+)): *[\"']?(.+?)[\"']?$"
LABEL = r'(?:\b(?:title|alt|aria-label)=|\A *(?:!!!|\?\?\?|===)[^"\n]*|\A\]\(.* )"([^"\n]*)"'

# In a live example the title and the labels, `English: translation`.
LIVE = r"^(?! *example:|error:) *(?:\"[^\"\n]*\"|[^\":\n]+): +[\"']?(.+?)[\"']?$"

# What is not prose: name, pattern, filler, and where the words for readers are in it. What one
# pattern has hidden is invisible to those that follow.
HIDDEN = [
    ("front matter", r"\A---\n(?s:.*?)^---$", APART, VALUE),
    ("live example", r"^ *(?P<f>`{3,}|~{3,}) *live *\n(?:.*\n)*? *(?P=f)[`~]* *$", APART, LIVE),
    ("fence", r"^ *(?P<f>`{3,}|~{3,})[^`\n]*\n(?:.*\n)*? *(?P=f)[`~]* *$", APART, LABEL),
    ("", r"<!--(?s:.*?)-->", MARKUP, None),
    ("html", r"<(?P<t>script|style)\b(?s:.*?)</(?P=t)>", APART, None),
    ("", r"<(?P<t>\w+)[^<>]* lang=[^<>]*>(?s:.*?)</(?P=t)>", CODE, None),  # another language
    ("formula", r"^ *\$\$(?s:.+?)\$\$", CODE, None),
    ("code", r"(?<!`)(?P<f>`+)(?!`)(?s:(?!\n\s*\n).)+?(?<!`)(?P=f)(?!`)", CODE, None),
    ("formula", r"(?<![\\$])\$(?=\S)(?:(?!\n\s*\n)[^$])+?(?<![\s\\])\$(?!\d)", CODE, None),
    ("placeholder", r"\{\{.*?\}\}", NUMBER, None),
    ("html", r"</?[a-zA-Z][^<>]*>|<(?:https?|mailto):[^<>\s]*>", MARKUP, LABEL),
    ("image", r"!\[[^\]]*\]\([^)\n]*\)", MARKUP, r"(?:!\[| \")([^\]\"]*)[\]\"]"),
    ("link", r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?: +\"[^\"\n]*\")?\)", MARKUP, LABEL),
    ("link", r"^ *\[[^\]\n]+\]: .*$|\]\[[^\]\n]*\]", MARKUP, None),
    ("attributes", r"\{:? *[#.\w][^{}\n]*\}", MARKUP, LABEL),
    ("include", r"^ *-+8<-+.*$", MARKUP, None),
    ("admonition", r"^ *(?:!!!|\?\?\?\+?) .*$", MARKUP, LABEL),
    ("tab", r"^ *===[!+]* .*$", MARKUP, LABEL),
    ("alignment", r"^ *\|[ :|]*-[ :|-]*$", MARKUP, None),
    ("", r"^ *(?:#{1,6}|[-*+]|\d+[.)]|>)(?= )", MARKUP, None),
    # Names without code font (titles cannot have it), addresses, entities, escapes.
    ("code", r"[A-Za-z][\w.]*_\w[\w.]*(?:\([^()\n]*\))?", CODE, None),
    ("", r"https?://[^\s)>\]]+|&#?\w+;|\\[^\w\s]", CODE, None),
]
HEADING = re.compile(r"(#{1,6}) .*?(?:\{[^{}]*(#[\w-]+)[^{}]*\})?$")
# The blocks that a line begins, and what begins them.
LINES = {
    "numbered item": re.compile(r"\d+[.)] "),
    "item": re.compile(r"[-*+] "),
    "quotation": re.compile(r"> "),
    "admonition": re.compile(r"!!! |\?\?\?"),
    "tab": re.compile(r"==="),
    "include": re.compile(r"-+8<-+"),
}
RUNNING_ON = {"paragraph", "numbered item", "item", "quotation"}


class Part(NamedTuple):
    """Something that is not prose; `text` is its source without the words for readers."""

    kind: str
    text: str
    start: int


class Block(NamedTuple):
    """A heading, a paragraph, a list item, a row of a table, a fence, …"""

    kind: str
    start: int
    end: int


class Complaint(NamedTuple):
    path: Path
    line: int
    check: str
    message: str
    fatal: bool = True

    def __str__(self) -> str:
        check = self.check if self.fatal else f"{self.check} (a warning)"
        return f"{self.path}:{self.line}: {check}: {self.message}"


class Page(NamedTuple):
    path: Path
    language: str  # the folder below docs/
    name: str  # the path below that folder: the same in all languages
    text: str
    prose: str
    parts: list[Part]
    blocks: list[Block]
    labels: list[Block]  # the words for readers inside of markup

    def line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def where(self, position: int) -> str:
        return f"{self.path}:{self.line(position)}"

    def complaint(self, position: int, check: str, message: str, fatal: bool = True) -> Complaint:
        return Complaint(self.path, self.line(position), check, message, fatal)


Pages = dict[tuple[str, str], Page]  # by language and name


def read(path: Path, docs: Path) -> Page:
    language, _, name = path.relative_to(docs).as_posix().partition("/")
    return parse(path.read_text(encoding="utf-8"), path, language, name)


def parse(text: str, path: Path, language: str, name: str) -> Page:
    prose, parts, labels = text, [], []
    for kind, pattern, filler, words in HIDDEN:
        for match in list(re.finditer(pattern, prose, re.MULTILINE)):
            start, end = match.span()
            filled = re.sub(r"[^\n]", filler, match[0])
            source = text[start:end]
            for label in _labels(words, match[0]):
                a, b = label.span(1)
                filled = filled[:a] + label[1] + filled[b:]
                source = source[:a] + source[b:]
                labels.append(Block(f"of {kind}", start + a, start + b))
            prose = prose[:start] + filled + prose[end:]
            if kind:
                parts.append(Part(kind, source.strip(), start))
    parts.sort(key=lambda part: part.start)
    return Page(path, language, name, text, prose, parts, _blocks(text, prose, parts), labels)


def _labels(words: str | None, source: str) -> list[re.Match]:
    """Return where the words for readers are in something that isn't prose, the last one first."""
    return list(re.finditer(words, source, re.MULTILINE))[::-1] if words else []


def _blocks(text: str, prose: str, parts: list[Part]) -> list[Block]:
    blocks = []
    position = 0
    goes_on = False  # the next line may belong to the last block
    for source, line in zip(text.split("\n"), prose.split("\n"), strict=True):
        start, position = position, position + len(line) + 1
        kind = _kind(source.strip(), line.strip())
        if kind == "paragraph" and goes_on:
            blocks[-1] = blocks[-1]._replace(end=position)
        elif kind:
            blocks.append(Block(kind, start, position))
        goes_on = kind in RUNNING_ON
    fences = [
        Block(part.kind, part.start, part.start)
        for part in parts
        if part.kind in ("fence", "live example")
    ]
    return sorted(blocks + fences, key=lambda block: block.start)


def _kind(source: str, prose: str) -> str | None:
    """Return what the line begins or is, None if it is empty for readers."""
    if prose.startswith(APART):
        return None
    if heading := HEADING.match(source):
        anchor = f" {{ {heading[2]} }}" if heading[2] else ""
        return f"heading of level {len(heading[1])}{anchor}"
    if source.startswith("|"):
        cells = prose.count("|") - 1
        return f"row of {cells} cells" if cells > 0 else "line below the head of a table"
    for kind, pattern in LINES.items():
        if pattern.match(source):
            return kind
    return "paragraph" if prose.strip(MARKUP + " ") else None
