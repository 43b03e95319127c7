"""Characters and spaces are those of the language; the repair mends them and nothing else.

In these tests `~` stands for the no-break space U+00A0, `^` for the narrow one, U+202F.
"""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradvalve_site import checks
from gradvalve_site.checks import terms, typography
from gradvalve_site.checks.page import LANGUAGES, parse

TERMS = Path(__file__).parents[2] / "docs" / "terms.csv"
SPACES = str.maketrans("~^", "\u00a0\u202f")


def page(language, text):
    name = "page.md"
    return parse(text.translate(SPACES), Path("docs", language, name), language, name)


def messages(language, text):
    return [
        complaint.message.split(": …")[0] for complaint in typography.check(page(language, text))[0]
    ]


def repaired(language, text):
    return typography.repair(page(language, text))


RIGHT = {
    "en": [
        "It's “right”: nothing passes, says the book (2.5 times, 10%); see `a , b` …",
        "The 1,000 numbers, 12,000,000 in all – or 0.5 of them – aren't lost. Why?",
        "- **Forward**: `x` – as it is.",
        "| one | two |",
        "TensorFlow 2.21, a 3–5 range, and so on…",
        "Take {{ a/with_b:c }} % of $x , y$.",
        "O'Neil's “a, b” isn't “c”; x = 5, 3-5 times?",
    ],
    "de": [
        "Der Wert bleibt gleich, z.^B. 0,5 oder 10~%; d.^h., `0.5 !` ist Code.",
        "„Das ‚Ventil‘ ist offen“, heißt es – für 12^000~Werte, 5~Schritte, Abb.~2.",
        "Mit TensorFlow 2.21 oder Python 3.11 und der Lizenz CC BY 4.0: K~=~5.",
        "So i.^d.^R. auch hier … In 3–5~Fällen gilt $K = 5$!",
        "Seit 2019 gibt es das; 1000~Zahlen, {{ a/with_b:c }}~Zahlen, {{ a/with_b:c }}~%.",
        "Warum ½? Weil `scale_gradient(x, 0.5)` es so will: [siehe dort](a.md): dort.",
        "Was `f` liefert, ist der Wert selbst; rückwärts zählt er als fest, sodass nichts fließt.",
        "Der Verlauf der Gradientennorm: 3–5~% je Schritt – nicht mehr – um 12:30~Uhr.",
        "Der Semigradient (engl. *semi-gradient*) und das Target-Network, so die Lesenden.",
        "Der 0,12345-fache Wert; x. Und y, vgl. 1.2.3.",
    ],
    "fr": [
        "La valeur ne change pas~: elle vaut 0,5^; et 10~% du total^!",
        "«~Le gradient “entrant” passe~», dit-on^? L'étape n'est qu'une étape, etc.",
        "**Remarque~:** K~=~5, après 5~pas, fig.~2, 12^000~valeurs.",
        "La fonction `f(x) ? a:b`~: [voir ici](a.md)~: `x`^; $x$^! Jusqu'au bout…",
        "Avec TensorFlow 2.21, le rapport 16:9, à 10:30 (?).",
        "| Cas | Sens~: |",
        "Qu'est-ce^?! Un cas.",
        "Ce que `f` renvoie, c'est l'entrée elle-même, sans gradient~: rien ne passe.",
        "Les nœuds, l'arc et l'œil^; aujourd'hui, presqu'île (Schrittwieser et al., 2020).",
        "Entraînement antagoniste~: rien n'est rétropropagé à travers «~tf.function~».",
    ],
    "ar": [
        "تُرجِع الدالة `f` القيمة كما هي، لكنها تحجب التدرّج؛ لماذا؟ لأن s تساوي 0.5.",
        "القيمة «ثابتة»، وهي 10% من 12,000 قيمة: عدديًا لا فرق، وهذا هدًى.",
        "الانتشار الخلفي (backpropagation)، والمقدّر (straight-through, STE).",
        'النموذج <cite lang="en">Mastering Atari, Go and chess?</cite>، و[الرابط](a.md)، بـ GPU.',
        "العدد {{ a/with_b:c }}، والمقدار $x$؛ واستخدام الاختبار والانتشار. **هكذا؟** نعم!",
        "ما تعيده الدالة `f` هو مُدخَلها نفسه، غير أنّ التدرّج لا يمرّ؛ فهي تُعامَل معاملة الثابت.",
        "«قال: “لا”»، ثم من 3 إلى 5 خطوات: هل -0.5 كافية؟ لا!",
        "إيقاف التدرّج وإدخال القيمة؛ وكذلك و[الجدول](#table).",
    ],
}


@pytest.mark.parametrize(
    ("language", "sentence"), [(language, s) for language in RIGHT for s in RIGHT[language]]
)
def test_right_sentences_are_left_alone(language, sentence):
    assert messages(language, sentence) == []
    assert list(terms.check(page(language, sentence), TERMS)) == []


@pytest.mark.parametrize(
    ("language", "wrong", "right", "message"),
    [
        # everywhere
        ("en", "two  spaces", "two spaces", "two spaces"),
        ("de", "und so weiter ...", "und so weiter …", "an ellipsis is one character"),
        ("fr", "le gradient - lui - passe", "le gradient – lui – passe", "a hyphen for a dash"),
        ("ar", "القيمة -- هنا", "القيمة – هنا", "a hyphen for a dash"),
        ("en", "one , two", "one, two", "a space before the mark"),
        ("de", "`x` , dann", "`x`, dann", "a space before the mark"),
        ("fr", "[ici](a.md) .", "[ici](a.md).", "a space before the mark"),
        ("de", "Das gilt~!", "Das gilt!", "a space before the mark"),
        ("ar", "لماذا ؟", "لماذا؟", "a space before the mark"),
        ("en", "it’s", "it's", "the apostrophe is '"),
        ("fr", "l’étape", "l'étape", "the apostrophe is '"),
        # quotation marks
        ("en", 'the "law" says', "the “law” says", "quotation marks are “…”"),
        ("de", 'das "Gesetz" sagt', "das „Gesetz“ sagt", "quotation marks are „…“"),
        ("de", "das “Gesetz” sagt", "das „Gesetz“ sagt", "quotation marks are „…“"),
        ("de", "das „Gesetz” sagt", "das „Gesetz“ sagt", "quotation marks are „…“"),
        ("de", "das «Gesetz» sagt", "das „Gesetz“ sagt", "quotation marks are „…“"),
        ("de", 'der Wert "`x`" ist', "der Wert „`x`“ ist", "quotation marks are „…“"),
        ("fr", 'la "loi" dit', "la «~loi~» dit", "quotation marks are «~…~»"),
        ("fr", "la « loi » dit", "la «~loi~» dit", "quotation marks are «~…~»"),
        ("fr", "la “loi” dit", "la «~loi~» dit", "quotation marks are «~…~»"),
        ("ar", 'يقول "القانون"', "يقول «القانون»", "quotation marks are «…»"),
        ("ar", "يقول « القانون »", "يقول «القانون»", "quotation marks are «…»"),
        ("ar", "يقول “القانون”", "يقول «القانون»", "quotation marks are «…»"),
        ("de", 'ein Zoll: 5"', 'ein Zoll: 5"', "a quotation mark alone"),
        # numbers
        ("de", "der Wert 0.5", "der Wert 0,5", "prose has the decimal comma; put names of "),
        ("fr", "la valeur 0.5", "la valeur 0,5", "prose has the decimal comma; put names of "),
        ("en", "the value 0,5", "the value 0.5", "the decimal point, not the comma"),
        ("ar", "القيمة 0,5", "القيمة 0.5", "the decimal point, not the comma"),
        ("de", "12 000~Werte", "12^000~Werte", "U+202F in thousands"),
        ("fr", "1 000 000", "1^000^000", "U+202F in thousands"),
        ("fr", "12000 cas", "12^000 cas", "U+202F in thousands"),
        ("de", "genau 10%", "genau 10~%", "U+00A0 before %"),
        ("fr", "soit 10 %", "soit 10~%", "U+00A0 before %"),
        ("ar", "نسبة 10 %", "نسبة 10%", "no space before %"),
        ("de", "mit K = 5", "mit K~=~5", "U+00A0 around the sign"),
        ("fr", "avec K = 5", "avec K~=~5", "U+00A0 around the sign"),
        # German
        ("de", "z.B. hier", "z.^B. hier", "U+202F in the abbreviation"),
        ("de", "d. h. hier", "d.^h. hier", "U+202F in the abbreviation"),
        ("de", "i.d.R. hier", "i.^d.^R. hier", "U+202F in the abbreviation"),
        ("de", "nach 5 Schritten", "nach 5~Schritten", "U+00A0 after the number"),
        ("de", "nach {{ a/with_b:c }} ms", "nach {{ a/with_b:c }}~ms", "U+00A0 after the number"),
        ("de", "siehe Abb. 2", "siehe Abb.~2", "U+00A0 before the number"),
        ("de", "auf 3-5~Seiten", "auf 3–5~Seiten", "a range has a dash"),
        ("de", "Das — immer — gilt", "Das – immer – gilt", "the dash is –"),
        # French
        ("fr", "Vraiment ?", "Vraiment^?", "U+202F before ; ! ?"),
        ("fr", "Vraiment?", "Vraiment^?", "U+202F before ; ! ?"),
        ("fr", "`x`; ici", "`x`^; ici", "U+202F before ; ! ?"),
        ("fr", "Voici : x", "Voici~: x", "U+00A0 before :"),
        ("fr", "Voici: x", "Voici~: x", "U+00A0 before :"),
        ("fr", "**Voici:**", "**Voici~:**", "U+00A0 before :"),
        ("fr", "l' étape", "l'étape", "no space after the apostrophe"),
        ("fr", "il suffit de …", "il suffit de…", "the ellipsis follows its word"),
        ("fr", "les pas, etc…", "les pas, etc.", "etc. has no ellipsis"),
        ("fr", "après 5 pas", "après 5~pas", "U+00A0 after the number"),
        ("fr", "voir fig. 2", "voir fig.~2", "U+00A0 before the number"),
        # Arabic
        ("ar", "القيمة, ثم", "القيمة، ثم", "، for ,"),
        ("ar", "الدالة `f`, ثم", "الدالة `f`، ثم", "، for ,"),
        ("ar", "في TensorFlow, ثم", "في TensorFlow، ثم", "، for ,"),
        ("ar", "القيمة; ثم", "القيمة؛ ثم", "؛ for ;"),
        ("ar", "لماذا?", "لماذا؟", "؟ for ?"),
        ("ar", "القيمة،ثم", "القيمة، ثم", "a space after the mark"),
        ("ar", "القيمة ٣", "القيمة 3", "Western digits"),
        ("ar", "النسبة 3٪", "النسبة 3%", "Western signs"),
        ("ar", "القيمة 0٫5", "القيمة 0.5", "Western signs"),
        ("ar", "عدديا\u064b لا", "عددي\u064bا لا", "the tanwin stands before the alef"),
        ("ar", "کل", "كل", "the Arabic kaf"),
        ("ar", "التضادیة", "التضادية", "the Arabic ya"),
        ("ar", "التضادی", "التضادی", "a Persian letter, for ي or for ى"),
        ("ar", "القيمـة", "القيمة", "no tatweel"),
        ("ar", "ذلك كـ قيمة", "ذلك كـ قيمة", "no tatweel"),
        ("ar", "لـ القيمة", "لـ القيمة", "no tatweel"),
        ("ar", "والإختبار هنا", "والاختبار هنا", "no hamza under this alef"),
        ("ar", "قيمة و`x` هنا", "قيمة و`x` هنا", "a word or a space belongs before code and "),
        ("ar", "ضربها بـ`x` هنا", "ضربها بـ`x` هنا", "a word or a space belongs before code and "),
    ],
)
def test_wrong_characters_are_found_and_repaired(language, wrong, right, message):
    found = {each[: len(message)] for each in messages(language, wrong)}

    assert found == {message.translate(SPACES)}
    assert repaired(language, wrong) == right.translate(SPACES)


def test_complaint_names_file_line_and_place(after):
    assert after("fr/valve.md", "Un point", "Un point ?") == [
        "docs/fr/valve.md:32: typography: U+202F before ; ! ?: …- Un point ?…"
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Das Ventil\n", "Das Ventil ...\n"),
        ("Ein Programm", "Ein Programm ..."),
        ("Vorsicht", "Vorsicht ..."),
        ("Im Graphen", "Im Graphen ..."),
        ("![Ein Ventil", "![Ein Ventil ..."),
        ("| Fall", "| Fall ..."),
    ],
)
def test_titles_labels_and_alternative_texts_are_prose(old, new, after):
    assert ["an ellipsis is one character" in line for line in after("de/valve.md", old, new)] == [
        True
    ]


NOT_PROSE = [
    "`a , b ? 'c' : 0.5`",
    "``a ` , ... b``",
    "$a , b ; 0.5 ?$",
    "\n$$\na , b ... ; 0.5\n$$\n",
    "{{ a/with_b:c | ,.2f }}",
    '<span data-x="a , b ...">',
    "<!-- a , b ... -->",
    "[text](a_(b).md?c=1;d#e:f)",
    "![](a...svg)",
    "{ .a data-b='c , d' }",
    "https://example.org/a;b?c=0.5",
    '\n```python title="T"\nprint("a , b ...", 0.5, 12000)\n```\n',
    '\n--8<-- "a/with_b.py:1:2"\n',
    "&nbsp;",
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", NOT_PROSE)
def test_what_is_not_prose_is_left_alone(language, code):
    assert messages(language, code) == []


TEXT = st.lists(
    st.sampled_from([*NOT_PROSE, *" \n.,;:!?…'’\"–—-%=()*|~^_،؛؟", "...", "  ", "\n\n", "- "])
    | st.sampled_from(["mot", "l'", "Wort", "z.B.", "قيمة", "و", "ـ", "رقماً ", "ی", "ک", "٣"])
    | st.sampled_from(["“mot”", "„mot“", "«mot»", "« mot »", "« un “mot” »", "T 2.1", "1 000"])
    | st.from_regex(r"[0-9]{1,6}([.,][0-9]{1,3})?", fullmatch=True),
    max_size=12,
).map("".join)


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(LANGUAGES), TEXT)
def test_repair_comes_to_an_end_soon(language, text):
    for _ in range(3):
        text = typography.check(page(language, text))[1]

    assert repaired(language, text) == text


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(LANGUAGES), TEXT, st.sampled_from(NOT_PROSE), TEXT)
def test_repair_never_changes_code(language, before, code, after):
    text = f"{before}\n\n{code}\n\n{after}"

    assert code in repaired(language, text)


def test_repair_command_writes_only_what_it_repairs(docs, after):
    original = (docs / "fr/valve.md").read_bytes()
    after("fr/valve.md", "ce\u202f; son".replace("ce", "`x`"), "`x`; son")

    checks.repair(docs)

    assert (docs / "fr/valve.md").read_bytes() == original
    assert list(checks.check(docs)) == []
