"""Builds the search index of the finished site with Pagefind: one for each language."""

import subprocess
import sys
from pathlib import Path

from mkdocs.exceptions import PluginError

UNUSED = ["*ui.*", "pagefind-highlight.js", "pagefind-worker.js"]


def write_index(site):
    """Index the articles of the folder `site`; assets/javascripts/search.js asks the index."""
    options = {
        "site": site,
        "glob": "**/index.html",  # not the 404 pages
        "root-selector": "article",
        # A formula is found as TeX; what is written into pictures is no sentence.
        "exclude-selectors": ".headerlink, semantics > :first-child, .gv-picture",
    }
    arguments = [f"--{name}={value}" for name, value in options.items()]
    done = subprocess.run(
        [sys.executable, "-m", "pagefind", *arguments], capture_output=True, encoding="utf-8"
    )
    if done.returncode:
        raise PluginError(f"Pagefind could not index the site:\n{done.stdout}{done.stderr}")
    for pattern in UNUSED:
        for file in Path(site, "pagefind").glob(pattern):
            file.unlink()
    # Material loads its own index with every page: let it be empty.
    Path(site, "search/search_index.json").write_text("{}", encoding="utf-8")
