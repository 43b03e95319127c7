"""Typography: the characters and the spaces of each language.

A rule is a pattern of the prose and what to put in its place; a match that is already right stays
as it is. Where a rule has nothing to put in its place, a person has to decide.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from gradvalve_site.checks.page import CODE, MARKUP, NUMBER, Complaint, Page, parse

NARROW, WIDE = "\u202f", "\u00a0"  # the two no-break spaces
SPACE = f"[ {NARROW}{WIDE}]"
DIGIT = f"[0-9{NUMBER}]"
ARABIC = "\u0621-\u063f\u0641-\u0652"  # letters and vowel signs, without tatweel
# A number with a point that follows one of these is a version or a section.
VERSION = (
    "(?:TensorFlow|Keras|Python|PyTorch|JAX|NumPy|CUDA|Apache|BY|arXiv"
    "|[Vv]ersion|Abschnitt|Kapitel|[Ss]ection|[Cc]hapitre)[ \u00a0:-]"
)
QUOTATION = {"en": r"“\1”", "de": r"„\1“", "fr": rf"«{WIDE}\1{WIDE}»", "ar": r"«\1»"}


class Rule(NamedTuple):
    languages: list[str]
    message: str
    pattern: re.Pattern
    repair: str | Callable[[re.Match], str] | None  # `\1` is the first group


def check(page: Page) -> tuple[list[Complaint], str]:
    """Return what is wrong, and the text with repairs (which may bring to light what is left)."""
    complaints, text, prose = [], page.text, page.prose
    for rule in RULES:
        if page.language not in rule.languages:
            continue
        for match in reversed(list(rule.pattern.finditer(prose))):
            start, end = match.span()
            new = _replacement(rule, match, text)
            if new == text[start:end]:
                continue
            line = prose.count("\n", 0, start) + 1
            near = text[max(start - 15, text.rfind("\n", 0, start) + 1) : end + 15].split("\n")[0]
            message = f"{rule.message}: …{near}…"
            complaints.append(Complaint(page.path, line, "typography", message))
            if new is not None:
                text = text[:start] + new + text[end:]
                prose = prose[:start] + _replacement(rule, match, prose) + prose[end:]
    return complaints, text


def repair(page: Page) -> str:
    """Return the text of the page with all repairs."""
    while (text := check(page)[1]) != page.text:
        page = parse(text, page.path, page.language, page.name)
    return text


def _replacement(rule: Rule, match: re.Match, source: str) -> str | None:
    """Return the replacement with groups taken from the source, which may be text or prose."""
    if not isinstance(rule.repair, str):
        return rule.repair and rule.repair(match)
    groups = {rf"\{i}": source[slice(*match.span(i))] for i in range(1, match.re.groups + 1)}
    return re.sub(r"\\\d", lambda reference: groups[reference[0]], rule.repair)


def _grouped(match: re.Match) -> str:
    return f"{int(match[0]):,}".replace(",", NARROW)


def _with_comma(match: re.Match) -> str:
    return match[0] if match[1] else f"{match[2]},{match[3]}"


def _western(match: re.Match) -> str:
    return str(unicodedata.digit(match[0]))


RULES = [
    Rule(languages.split(), message, re.compile(pattern), repair)
    for languages, message, pattern, repair in [
        # Characters on which later rules rely.
        ("de", "the dash is –", r"(?<=[^\s|])(?: ?—)+ ?(?=[^\s|.,:;!?…])", " – "),
        ("ar", "Western digits", "[٠-٩۰-۹]", _western),
        ("ar", "Western signs", "٪", "%"),
        ("ar", "Western signs", r"(?<=\d)٫(?=\d)", "."),
        ("ar", "Western signs", r"(?<=\d)٬(?=\d)", ","),
        ("ar", "the Arabic kaf", "ک", "ك"),
        ("ar", "the Arabic ya", rf"ی(?=[ی{ARABIC}])", "ي"),
        ("ar", "a Persian letter, for ي or for ى", "ی", None),
        # What holds everywhere.
        ("en de fr ar", "two spaces", rf"(?<=[^\s|{MARKUP}])  +(?=[^\s|])", " "),
        ("en de fr ar", "an ellipsis is one character", r"\.{3}", "…"),
        ("en de fr ar", "a hyphen for a dash", rf"(?<=[^\s|{MARKUP}]) --?(?= [^\s|])", " –"),
        ("en de fr ar", "a space before the mark", rf"(?<=[^\s|]){SPACE}+(?=[,.](?![\w.]))", ""),
        ("en de ar", "a space before the mark", rf"(?<=[^\s|]){SPACE}+(?=[:;!?](?![\w.]))", ""),
        ("ar", "a space before the mark", rf"(?<=[^\s|]){SPACE}+(?=[،؛؟])", ""),
        ("en de", "the apostrophe is '", r"(?<=\w)’(?=\w)", "'"),
        ("fr ar", "the apostrophe is '", "’", "'"),
        # Quotation marks: whatever pair it is becomes the language's own.
        *(
            (language, f"quotation marks are {own}".replace(r"\1", "…"), pair + inside, own)
            for language, own in QUOTATION.items()
            # Inside of «…» the second kind of marks is “…”.
            for inside in ["(?![^«\n]*»)" if "«" in own else ""]
            for pair in [r'"([^"\n]*)"', r"“([^“”„\n]*)”", r"„([^“”„\n]*)[“”]"]
        ),
        *(
            (language, f"quotation marks are {own}".replace(r"\1", "…"), pair, own)
            for language, own in QUOTATION.items()
            for pair in [rf"«{SPACE}*([^«»\n]*?){SPACE}*»"]
        ),
        ("en de fr ar", "a quotation mark alone", '"', None),
        # Numbers.
        ("de fr", "prose has the decimal comma; put names of versions in code font",
         rf"({VERSION})?(?<![\w.,])(?<![A-Za-z]-)(\d+)\.(\d+)(?!\.?\d)", _with_comma),
        ("en ar", "the decimal point, not the comma",
         r"(?<![\w.,])(?!\d{1,3}(?:,\d{3})+(?![\d,]))(\d+),(\d+)(?!,?\d)", r"\1.\2"),
        ("de fr", "U+202F in thousands",
         rf"(?<![\w.,#{NARROW}-])(?<!\d{SPACE})[1-9]\d{{4,}}(?!\w)", _grouped),
        ("de fr", "U+202F in thousands", rf"(?<![\d.,])(\d{{1,3}})[ {WIDE}](?=\d{{3}}(?!\d))",
         rf"\1{NARROW}"),
        ("de fr", "U+00A0 before %", rf"(?<={DIGIT}){SPACE}*%(?![\w-])", f"{WIDE}%"),
        ("ar", "no space before %", rf"(?<={DIGIT}){SPACE}+%", "%"),
        ("de fr", "U+00A0 around the sign", rf"(?<=[^\s|]){SPACE}([=≈≤≥]){SPACE}(?=[^\s|])",
         rf"{WIDE}\1{WIDE}"),
        # German.
        ("de", "U+202F in the abbreviation", r"(?<!\w)([a-zäöü])\.[ \u00a0]?(?=[A-Za-zÄÖÜäöü]\.)",
         rf"\1.{NARROW}"),
        ("de", "U+00A0 after the number",
         rf"(?<={DIGIT}) (?=[A-ZÄÖÜ][a-zäöüß]|(?:[µmnk]?s|[kMG]i?B|px)\b)", WIDE),
        ("de", "U+00A0 before the number", r"\b(Abb|Tab|Nr|Kap|Gl|Bd)\. ?(?=\d)", rf"\1.{WIDE}"),
        ("de", "a range has a dash", r"(?<![\w.-])(\d+)-(\d+)(?![\w-])", r"\1–\2"),
        # French.
        ("fr", "U+202F before ; ! ?", rf"(?<=[^\s|(\[;!?]){SPACE}*(?=[;!?])", NARROW),
        ("fr", "U+00A0 before :", rf"(?<=[^\s|(\[:]){SPACE}*:(?=[\s*_|]|$)", f"{WIDE}:"),
        ("fr", "no space after the apostrophe", r"\b([cdjlmnstCDJLMNST]|[Qq]u)' +(?=\w)", r"\1'"),
        ("fr", "the ellipsis follows its word", r"(?<=\w) …", "…"),
        ("fr", "etc. has no ellipsis", r"\betc\.?…", "etc."),
        ("fr", "U+00A0 after the number",
         rf"(?<={DIGIT}) (?=(?:pas|étapes?|fois|bits?|octets?|lignes?|valeurs?|couches?|nombres?"
         r"|[µmnk]?s|[kMG]i?o|px)\b)", WIDE),
        ("fr", "U+00A0 before the number", r"\b(fig|chap|vol|éq|p)\. ?(?=\d)", rf"\1.{WIDE}"),
        # Arabic.
        *(
            ("ar", f"{arabic} for {latin}",
             rf"(?<=[{ARABIC}»)\]*0-9{CODE}{NUMBER}{MARKUP}]){re.escape(latin)}(?!\d)"
             rf"|{re.escape(latin)}(?= ?[«(*]*[{ARABIC}])", arabic)
            for latin, arabic in zip(",;?", "،؛؟", strict=True)
        ),
        ("ar", "a space after the mark", rf"([،؛؟])(?=[^\s»)\]*_…،؛؟!|{MARKUP}])", r"\1 "),
        ("ar", "the tanwin stands before the alef", "([اى])\u064b", "\u064b\\1"),
        ("ar", "no tatweel", rf"(?<=[{ARABIC}])ـ+(?=[{ARABIC}])", ""),
        ("ar", "no tatweel", rf"(?<![لب])ـ+|ـ+(?! ?[A-Za-z0-9{CODE}{NUMBER}])", None),
        ("ar", "no hamza under this alef", rf"(?<![{ARABIC}])([وف]?[بلك]?(?:ال|ل)?)إ"
         "(?=ستخدام|ستعمال|ستدلال|ستنتاج|ختبار|ختيار|ختر|بحث|نتشار|نتقال|نتقل|نفجار|نعكاس|شتقاق)",
         r"\1ا"),
        ("ar", "a word or a space belongs before code and formulas",
         rf"(?<![{ARABIC}])[وف]?(?:[وفبلك]|ال|لل)ـ?{CODE}", None),
    ]
]  # fmt: skip
