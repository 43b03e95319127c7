"""The content security policy stands in every page and allows what stands there, nothing more."""

import hashlib
import re
from base64 import b64encode
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from mkdocs.exceptions import PluginError

from gradvalve_site import hooks, policy

META = '<head><meta http-equiv="Content-Security-Policy" content="'
PAGE = """\
<!doctype html>
<html><head>
<script>first("é") < 2 && '</b>'</script>
<script src="a.js"></script><script type="application/json">{"data": 1}</script>
</head><body>
<script type="module">
second()
</script><p class="style" data-on="1">onclick="text" <a href="page/">link</a></p>
</body></html>
"""


def pages(site):
    return sorted(site.rglob("*.html"))


def rules(text):
    """Return the policy in a page as {directive: sources}."""
    (content,) = re.findall(rf'{META}([^"]*)"', text)
    split = [rule.split() for rule in content.split("; ")]
    return {name: sources for name, *sources in split}


def hashed(text):
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.fixture
def written(tmp_path):
    """A function that writes a page with its policy."""

    def write(text):
        page = tmp_path / "folder/index.html"
        page.parent.mkdir(exist_ok=True)
        page.write_bytes(text.encode())
        policy.write(tmp_path)
        return page.read_bytes().decode()

    return write


def test_every_page_has_the_policy_before_anything_that_it_governs(site):
    assert {page.parent.name for page in pages(site) if page.name == "404.html"} > {
        "de",
        "fr",
        "ar",
    }
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        assert text.count("Content-Security-Policy") == 1, page
        assert META in text[:200], page


def test_browsers_find_the_encoding_where_they_look_for_it(site):
    for page in pages(site):
        assert b'<meta charset="utf-8">' in page.read_bytes()[:1024], page


def test_the_policy_has_no_exceptions(site):
    for page in pages(site):
        given = rules(page.read_text(encoding="utf-8"))
        sources = {source for sources in given.values() for source in sources}
        assert {s for s in sources if not s.startswith("'sha256-")} == {
            "'self'", "'none'", "'wasm-unsafe-eval'", "blob:", "data:",
        }  # fmt: skip
        assert given["default-src"] == given["form-action"] == ["'self'"]
        assert given["object-src"] == given["base-uri"] == ["'none'"]
        assert "data:" not in given["script-src"]
        assert "blob:" not in given["script-src"]


def test_another_parser_finds_the_same_scripts(site):
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        scripts = BeautifulSoup(text, "lxml").find_all("script", src=False)
        run = {script.string for script in scripts if script.get("type") != "application/json"}
        allowed = {s for s in rules(text)["script-src"] if s.startswith("'sha256-")}
        assert allowed == set(map(hashed, run)), page


def test_scripts_in_a_page_are_allowed_by_their_exact_text(written):
    allowed = rules(written(PAGE))["script-src"]

    texts = ["""first("é") < 2 && '</b>'""", "\nsecond()\n"]
    assert allowed == ["'self'", "'wasm-unsafe-eval'", *map(hashed, texts)]


def test_a_style_element_is_allowed_by_its_text(written):
    allowed = rules(written("<head><style>p { margin: 0 }</style>"))["style-src"]

    assert allowed == ["'self'", hashed("p { margin: 0 }"), hashed("")]


def test_nothing_else_in_the_page_changes(written):
    text = PAGE.replace("\n", "\r\n")

    assert re.sub('<meta http-equiv="Con[^>]*>', "", written(text)) == text


REFUSED = {
    "a style attribute": '<p style="color: red">',
    "a style attribute in capitals": "<P STYLE=color:red>",
    "an inline handler": '<img src="a.png" onerror="alert(1)">',
    "a handler in a drawing": '<svg onload="alert(1)"/>',
    "a script in a link": '<a href="javascript:alert(1)">',
    "a script in a form": '<form action=" JavaScript:alert(1)">',
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_the_policy_would_refuse_stops_the_build_with_its_place(written, kind):
    page = PAGE.replace("<p class", f"\n{REFUSED[kind]}<p class")

    with pytest.raises(PluginError, match=r"^folder/index\.html:9: <.* use a class"):
        written(page)


def test_a_page_without_a_head_stops_the_build(written):
    with pytest.raises(PluginError, match=r"^folder/index\.html: a page without <head>"):
        written("<p>Text</p>")


@pytest.mark.parametrize(("command", "written"), [("build", True), ("serve", False)])
def test_the_policy_is_for_built_sites_only(command, written, monkeypatch):
    """`mkdocs serve` puts a script into the pages whose text changes."""
    calls = []
    monkeypatch.setattr(hooks.policy, "write", calls.append)
    monkeypatch.setattr(hooks.search, "write_index", lambda _: None)

    config = SimpleNamespace(plugins={"i18n": SimpleNamespace(building=False)}, site_dir="site")
    hooks.on_startup(command=command, dirty=False)
    hooks.on_post_build(config)
    hooks.on_startup(command="build", dirty=False)

    assert calls == (["site"] if written else [])
