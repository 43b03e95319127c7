"""A translation names the English text that it renders, and only one command writes that."""

import subprocess

import pytest

from gradvalve_site import checks, translated


@pytest.fixture
def history(docs, monkeypatch):
    """A repository in which the pages are committed."""
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "someone")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "someone@example.org")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "pages")
    return docs


def git(*arguments):
    subprocess.run(["git", *arguments], check=True)


def stale(language):
    return (
        f"docs/{language}/valve.md:1: freshness: the page is older than docs/en/valve.md; "
        f"bring it up to date, then run: make translated PAGE=valve.md LANGUAGE={language}"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Turn it.", "Turn it twice."),
        ("title: The valve", "title: A valve"),
        ("Be careful", "Take care"),
        ("A valve on a path]", "The valve on a path]"),
        ("A program", "The program"),
    ],
)
def test_a_word_that_changes_in_english_makes_all_translations_stale(old, new, after):
    assert after("en/valve.md", old, new) == [stale("de"), stale("fr"), stale("ar")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(", "print(print, "),
        ("`valve(x)`", "`valve(y)`"),
        ("The function `valve(x)`", "The function\n`valve(x)`"),
    ],
)
def test_code_and_white_space_do_not_make_translations_stale(old, new, after):
    assert [line for line in after("en/valve.md", old, new) if "freshness" in line] == []


def test_a_translation_without_the_hash_is_refused(after):
    assert after("de/valve.md", "source_hash", "other_hash")[1:] == [
        "docs/de/valve.md:1: freshness: the page isn't marked as a translation of docs/en/valve.md;"
        " bring it up to date, then run: make translated PAGE=valve.md LANGUAGE=de"
    ]


def test_repair_does_not_make_a_translation_fresh(docs, after):
    after("en/valve.md", "Turn it.", "Turn it twice.")

    checks.repair(docs)

    assert [str(each) for each in checks.check(docs)] == [stale("de"), stale("fr"), stale("ar")]


def test_command_shows_the_english_difference_and_writes_the_hash_only(history, after, capfd):
    before = (history / "de/valve.md").read_text(encoding="utf-8").splitlines()
    after("en/valve.md", "Turn it.", "Turn it twice.")

    translated.main(["valve.md", "de"])

    output = capfd.readouterr().out
    assert "-2. Turn it.\n+2. Turn it twice.\n" in output
    assert "What the valve does" not in output
    changed = (history / "de/valve.md").read_text(encoding="utf-8").splitlines()
    different = [new for old, new in zip(before, changed, strict=True) if old != new]
    assert [line.partition(":")[0] for line in different] == ["source_hash"]
    assert [str(each) for each in checks.check(history)] == [stale("fr"), stale("ar")]


@pytest.mark.usefixtures("history")
def test_command_finds_a_text_that_is_several_commits_old(after, capfd):
    for number in ("one", "two", "three"):
        after("en/valve.md", "A program", f"A program {number}")
        git("commit", "--quiet", "--all", "--message", number)
        after("en/valve.md", f"A program {number}", "A program")
    after("en/valve.md", "One point", "A last point")

    translated.main(["valve.md", "fr"])

    output = capfd.readouterr().out
    assert "-- One point\n+- A last point\n" in output
    assert "A program" not in output


def test_command_shows_all_of_the_english_text_the_first_time(docs, after, capfd):
    page = docs / "ar/valve.md"
    after("ar/valve.md", page.read_text(encoding="utf-8").splitlines()[3] + "\n", "")

    translated.main(["valve.md", "ar"])

    assert (docs / "en/valve.md").read_text(encoding="utf-8") in capfd.readouterr().out
    assert list(checks.check(docs)) == []


def test_command_says_when_no_word_has_changed(docs, capfd):
    before = (docs / "de/valve.md").read_bytes()

    translated.main(["valve.md", "de"])

    assert "No word of docs/en/valve.md has changed." in capfd.readouterr().out
    assert (docs / "de/valve.md").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give a page and one of de, fr, ar, as in: tutorial/scale.md de"),
        (["valve.md", "en"], "Give a page and one of de, fr, ar"),
        (["valve", "de"], "There is no docs/en/valve."),
    ],
)
@pytest.mark.usefixtures("docs")
def test_command_says_what_it_needs(arguments, message):
    with pytest.raises(SystemExit, match=message):
        translated.main(arguments)
