"""English that was left in a translation is found."""

import pytest


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        ("de/valve.md", "title: Das Ventil\n", "title: The valve\n", "this is the English text"),
        ("de/valve.md", "# Was das Ventil bewirkt", "# What the valve does", "this is the English"),
        ("fr/valve.md", "Un programme", "A program", "this is the English text: A program"),
        ("ar/valve.md", "تنبيه", "Be careful", "this is the English text: Be careful"),
        ("fr/valve.md", "Dehors", "Outside", "this is the English text: Outside"),
        ("de/valve.md", "Ein Ventil auf einem Pfad]", "A valve on a path]", "this is the English"),
        ("de/valve.md", "| Fall", "| case", "this is the English text: case"),
        ("fr/valve.md", "La vanne reste où elle est.", "The valve stays where it is.", "this is "),
        ("de/valve.md", "Ein Punkt", "And this is how it turns out for all", "this looks English"),
        ("fr/valve.md", "Un point", "Is it open?", "this looks English: Is it open?"),
        ("ar/valve.md", "نقطة واحدة", "نقطة some words stand here", "four Latin words or more"),
    ],
)
def test_english_in_a_translation_is_found(path, old, new, message, after):
    complaints = [line for line in after(path, old, new) if "typography" not in line]

    assert len(complaints) == 1
    assert f": leftovers: {message}" in complaints[0]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("de/valve.md", "Ein Punkt", "In *The Art of the Gradient and Its Uses* steht es"),
        ("fr/valve.md", "Un point", "La *backpropagation*, ou gradient, de TensorFlow et PyTorch"),
        ("ar/valve.md", "نقطة واحدة", "نقطة في *The Art of the Gradient* واحدة"),
        ("ar/valve.md", "نقطة واحدة", 'نقطة في <cite lang="en">The Art of It</cite> واحدة'),
        ("ar/valve.md", "نقطة واحدة", "الانتشار الخلفي (backpropagation) في TensorFlow"),
        ("de/valve.md", "Ein Punkt", "Der Sockel (engl. *the base of it all*) hat so was"),
    ],
)
def test_titles_of_works_names_and_terms_are_no_leftovers(path, old, new, after):
    assert [line for line in after(path, old, new) if "leftovers" in line] == []


def test_a_name_may_be_the_same_in_all_languages(docs, after):
    for language in ("de", "fr", "ar"):
        page = docs / language / "index.md"
        text = page.read_text(encoding="utf-8").splitlines()
        text[1] = "title: TensorFlow"
        page.write_text("\n".join(text), encoding="utf-8")

    complaints = after("en/index.md", "title: Welcome", "title: TensorFlow")

    assert [line for line in complaints if "leftovers" in line] == []
