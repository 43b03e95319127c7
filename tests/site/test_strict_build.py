"""Mistakes stop the strict build and say where they are. Without mistakes it passes: see `site`."""

import pytest

ERRORS = {
    "{{ start/with_tensorflow:nothing }}": "docs/en/index.md:{line}: ",
    r"$\frac{1}$": "docs/en/index.md:{line}: ",
    '    --8<-- "nothing.py"': "'en/index.md': Snippet at path 'nothing.py'",
    '    --8<-- "scale/with_tensorflow.py:nothing"': "'en/index.md': Snippet section 'nothing'",
}
WARNINGS = {
    "a missing translation": "docs/ar/tutorial/scale.md is missing: translate docs/en",
    "a page outside of nav": "- ar/lost.md",
    "a dead link": "'ar/index.md' contains a link 'nothing.md'",
    "a dead anchor": "'ar/index.md' contains a link '#nothing'",
    "a missing download": "'ar/index.md' contains a link '../downloads/nothing.py'",
}


@pytest.mark.parametrize("mistake", ERRORS)
def test_mistakes_stop_the_build_with_their_place(project, mistake):
    line = len((project.folder / "docs/en/index.md").read_text(encoding="utf-8").splitlines()) + 2
    project.append("en/index.md", f"\n{mistake}\n")

    done = project.build()

    assert done.returncode != 0
    assert ERRORS[mistake].format(line=line) in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def warned(new_project):
    """A build with all mistakes of which MkDocs warns, in one language: each stops at its end."""
    project = new_project()
    (project.folder / "docs/ar/tutorial/scale.md").unlink()
    (project.folder / "docs/ar/lost.md").write_text("# Lost\n", encoding="utf-8")
    links = ["nothing.md", "#nothing", "../downloads/nothing.py"]
    project.append("ar/index.md", "".join(f"\n[link]({link})\n" for link in links))
    return project.build()


@pytest.mark.parametrize("mistake", WARNINGS)
def test_warnings_stop_the_build(warned, mistake):
    assert warned.returncode != 0
    assert WARNINGS[mistake] in warned.stderr
