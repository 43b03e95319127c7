"""python -m gradvalve_site.checks: what it prints, what it repairs, how it ends."""

import subprocess
import sys

import pytest


def run(*arguments):
    command = [sys.executable, "-m", "gradvalve_site.checks", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8")


@pytest.mark.usefixtures("docs")
def test_pages_in_order_end_with_success_and_silence():
    done = run()

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_complaints_are_printed_and_end_with_failure(after):
    complaints = after("fr/valve.md", "Un point", "Un point ?")

    done = run()

    assert (done.returncode, done.stdout.splitlines()) == (1, complaints)


def test_warnings_do_not_end_with_failure(after):
    (warning,) = after("de/valve.md", "Ein Punkt", "Der Vorlauf")

    done = run()

    assert (done.returncode, done.stdout) == (0, f"{warning}\n")


def test_repair_mends_the_typography_and_leaves_the_rest(docs, after):
    original = (docs / "fr/valve.md").read_text(encoding="utf-8")
    after("fr/valve.md", "Un point", "Un point ?")
    after("fr/valve.md", "## Tous", "### Tous")

    done = run("--repair")

    assert done.returncode == 1
    assert done.stdout.startswith("docs/fr/valve.md:16: structure: heading of level 3")
    expected = original.replace("Un point", "Un point\u202f?").replace("## Tous", "### Tous")
    assert (docs / "fr/valve.md").read_text(encoding="utf-8") == expected


def test_an_unknown_option_is_refused():
    assert "unrecognized arguments: --mend" in run("--mend").stderr
