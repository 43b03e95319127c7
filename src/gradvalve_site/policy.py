"""Writes the content security policy of each page into it: what the page may load and run.

Scripts that stand in the page itself, which Material needs, are allowed by the hash of their text:
none that anyone puts there later runs. Styles and handlers in attributes are never allowed; they
stop the build.
"""

import hashlib
from base64 import b64encode
from html.parser import HTMLParser
from pathlib import Path

from mkdocs.exceptions import PluginError

HEAD = "<head>"


def write(site):
    """Write its policy into every page of the folder `site`, once the pages are final."""
    for path in sorted(Path(site).rglob("*.html")):
        text = path.read_bytes().decode()  # as it is, line ends included
        before, head, after = text.partition(HEAD)
        place = path.relative_to(site)
        if not head:
            raise PluginError(f"{place}: a page without {HEAD} has no place for its policy")
        policy = policy_of(text, place)
        meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        path.write_bytes(f"{before}{head}{meta}{after}".encode())


def policy_of(text, place):
    """Return the policy for the page with this HTML; `place` names it in errors."""
    found = Inline(place)
    found.feed(text)
    found.close()
    # Plotly puts its rules into a style element that is empty.
    styles = [*found.texts["style"], ""]
    rules = {
        "default-src": ["'self'"],
        "script-src": ["'self'", "'wasm-unsafe-eval'", *_hashes(found.texts["script"])],
        "style-src": ["'self'", *_hashes(styles)],
        "img-src": ["'self'", "data:"],  # Material's style sheets hold its icons
        "worker-src": ["'self'", "blob:"],  # only a worker from a blob is bound by the policy
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in rules.items())


def _hashes(texts):
    digests = [b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
    return [f"'sha256-{digest}'" for digest in dict.fromkeys(digests)]


class Inline(HTMLParser):
    """Collects the scripts and styles in a page; raises PluginError at those in attributes."""

    def __init__(self, place):
        super().__init__(convert_charrefs=False)
        self.place, self.texts, self.current = place, {"script": [], "style": []}, None

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "style" or name.startswith("on") or _is_script(value):
                what = f'<{tag} {name}="{value}">'
                reason = "the content security policy refuses this; use a class, or a script file"
                raise PluginError(f"{self.place}:{self.getpos()[0]}: {what}: {reason}")
        attributes = dict(attrs)
        data = (attributes.get("type") or "").endswith("json")
        if tag in self.texts and "src" not in attributes and not data:
            self.current = self.texts[tag]
            self.current.append("")

    def handle_data(self, data):
        if self.current is not None:
            self.current[-1] += data

    def handle_endtag(self, tag):
        if tag in self.texts:
            self.current = None


def _is_script(value):
    return (value or "").strip().lower().startswith("javascript:")
