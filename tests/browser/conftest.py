"""The real site and one page more, typography/, under a sub-path, and a browser to look at it."""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import chromium
import pytest
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LANGUAGES = {"en": "", "de": "de/", "fr": "fr/", "ar": "ar/"}


@pytest.fixture(scope="session")
def served_folder(tmp_path_factory):
    """A folder with the site in its subfolder gradvalve/."""
    project = tmp_path_factory.mktemp("project")
    docs = project / "docs"
    shutil.copytree(ROOT / "docs", docs)
    for name in ("src", "notebooks"):
        (project / name).symlink_to(ROOT / name)
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config = config.replace("  - Tutorial:\n", "  - typography.md\n  - Tutorial:\n")
    (project / "mkdocs.yml").write_text(config, encoding="utf-8")
    for language in LANGUAGES:
        shutil.copy(HERE / "typography/typography.md", docs / language)
    (docs / "snippets/typography").mkdir()
    shutil.copy(HERE / "typography/with_python.txt", docs / "snippets/typography")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", "served/gradvalve"],
        cwd=project,
        env=os.environ
        | {"NO_MKDOCS_2_WARNING": "1", "GRADVALVE_SITE_URL": "https://example.org/gradvalve/"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return project / "served"


class StaticHost(http.server.SimpleHTTPRequestHandler):
    """Answers as static hosts do: what doesn't exist gets the site's 404.html."""

    def send_error(self, code, *_):
        page = Path(self.directory, "gradvalve/404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def base(served_folder):
    """The address of the site, which lies under a sub-path."""
    handler = functools.partial(StaticHost, directory=served_folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/gradvalve/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**chromium.launch_options())
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, base):
    """A function that opens a page; `page.faults` lists what the browser complains of."""
    contexts = []

    def opened(address="", **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        contexts.append(context)
        page = context.new_page()
        page.faults, page.asked = [], []
        page.on("console", lambda m: page.faults.append(m.text) if m.type != "log" else None)
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("requestfailed", lambda request: page.faults.append(f"failed: {request.url}"))
        page.on("response", lambda r: page.faults.append(r.url) if r.status >= 400 else None)
        page.goto(base + address)
        return page

    yield opened
    for context in contexts:
        context.close()
