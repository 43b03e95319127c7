"""Puts the cells of a notebook into the page that its front matter ties to it.

A line `{{ cell:totals }}` becomes the code of the cell `totals` of notebooks/NAME.py, what it
printed, and its figure with labels in the page's language, or its picture. The page names every
cell, in order. Its front matter has `notebook: NAME`; `captions`, a text for each cell that draws;
and, in a translation, `labels`, a translation of each text in the figures.
"""

import json
import re
from base64 import b64decode
from posixpath import dirname

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

from gradvalve import measure
from gradvalve_site import figures, ipynb, notebooks
from gradvalve_site.errors import page_error
from gradvalve_site.words import SEPARATORS, WORDS

CELL = re.compile(r"^\{\{ *cell:(\w+) *\}\} *$", re.MULTILINE)
TITLE = re.compile(r"^# .*\n", re.MULTILINE)


def fill(markdown, page, config, files):
    """Return the page's Markdown with its cells; add its figures and its notebook to `files`."""
    given = CELL.findall(markdown)
    if "notebook" not in page.meta:
        if given:
            raise page_error(page, "{{ cell:", "a page with cells needs 'notebook: NAME' on top")
        return markdown
    try:
        notebook = notebooks.load(page.meta["notebook"], notebooks.source_folder(config))
    except LookupError as error:
        raise page_error(page, "notebook:", error.args[0]) from None
    _check_order(given, list(notebook.cells), page)
    notebook = _translated(notebook, page)

    def add(address, content):
        files.append(File.generated(config, address, content=content))

    for cell in notebook.cells.values():
        place = f"{dirname(page.file.dest_uri)}/{cell.name}"
        if cell.figure:
            figure = figures.for_page(cell.figure)
            figure = json.dumps(figure, ensure_ascii=False, separators=(",", ":"))
            add(f"{place}.json", figure)
        if cell.picture:
            add(f"{place}.png", b64decode(cell.picture))
    download = f"{page.file.locale}/{notebook.name}.ipynb"
    pieces = CELL.split(markdown)
    add(f"downloads/notebooks/{download}", ipynb.write(pieces, notebook, page, config, files))
    pieces[0] = TITLE.sub(
        lambda title: title[0] + _links(download, notebook, page, config), pieces[0]
    )
    pieces[1::2] = [_shown(notebook.cells[name], page) for name in given]
    return "".join(pieces)


def _check_order(given, names, page):
    for i, name in enumerate(given):
        if name not in names:
            reason = f"there is no cell '{name}'; the cells: {', '.join(names)}"
        elif name in given[:i]:
            reason = f"the cell '{name}' stands on the page twice"
        elif name != names[i]:
            reason = f"the cell '{name}' stands where the notebook has '{names[i]}'"
        else:
            continue
        raise page_error(page, f"cell:{name}", reason)
    if len(given) < len(names):
        raise page_error(page, "notebook:", f"the page lacks the cell '{names[len(given)]}'")


def _translated(notebook, page):
    """Return the notebook with its figures in the page's language, ready to be drawn."""
    drawn = {name: cell.figure for name, cell in notebook.cells.items() if cell.figure}
    painted = {name for name, cell in notebook.cells.items() if cell.picture}
    captions = page.meta.get("captions", {})
    for name in sorted((drawn.keys() | painted) ^ captions.keys()):
        has = "has a caption, but draws nothing" if name in captions else "needs a caption"
        raise page_error(page, "captions:", f"the cell '{name}' {has}")
    texts = set().union(*map(measure.texts, drawn.values()))
    english = page.file.locale == "en"
    labels = None if english else page.meta.get("labels", {})
    for label in sorted((labels or {}).keys() - texts):
        raise page_error(page, label, f"no figure has the label '{label}'")
    cells = dict(notebook.cells)
    for name, figure in drawn.items():
        try:
            figures.check(figure)
            figure = measure.translated(figure, labels, SEPARATORS[page.file.locale])
        except ValueError as error:
            raise PluginError(f"notebooks/{notebook.name}.py: cell {name}: {error}") from None
        except LookupError as error:
            raise page_error(page, "labels:", error.args[0]) from None
        cells[name] = cells[name]._replace(figure=figure)
    return notebook._replace(cells=cells)


def _shown(cell, page):
    """Return the Markdown of a cell: code, output, figure."""
    output = WORDS[page.file.locale]["output"]
    parts = [f"````python\n{cell.code}\n````"]
    if cell.text:
        parts.append(f'````text title="{output}"\n{cell.text.rstrip()}\n````')
    if cell.figure:
        caption = page.meta["captions"][cell.name]
        parts.append(figures.html(cell.figure, cell.name, caption, page.file.locale))
    if cell.picture:
        parts.append(figures.picture(cell.picture, cell.name, page.meta["captions"][cell.name]))
    return "\n\n".join(parts)


def _links(download, notebook, page, config):
    """Return the line below the title: where the notebook can be had, and with what it ran."""
    words = WORDS[page.file.locale]
    address = get_relative_url(f"downloads/notebooks/{download}", page.url)
    parts = [f'<a href="{address}" download>{words["download"]}</a>']
    if repository := config.extra.get("repository"):
        # The workflow that publishes the site pushes the notebooks to a branch of this name.
        project = repository.rstrip("/").split("/", 3)[-1]
        parts += [
            f'<a href="{base}{download}">{words["open_in"]} {name}</a>'
            for name, base in [
                ("Colab", f"https://colab.research.google.com/github/{project}/blob/notebooks/"),
                ("Binder", f"https://mybinder.org/v2/gh/{project}/notebooks?urlpath=lab/tree/"),
            ]
        ]
    versions = ", ".join(f"{name} {version}" for name, version in notebook.versions.items())
    parts.append(f'{words["ran_with"]} <bdi dir="ltr">{versions}</bdi>')
    return f'\n<p class="gv-notebook" data-pagefind-ignore>{" · ".join(parts)}</p>\n'
