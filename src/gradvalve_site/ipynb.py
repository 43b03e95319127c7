"""Writes the notebook of a language for Jupyter: prose, code, and what came out.

Jupyter knows plain Markdown only. So notes become quotations, numbers and included files stand
where the page names them, and links lead to the site.
"""

import json
import platform
import re
from posixpath import dirname, join, normpath
from textwrap import dedent, indent
from urllib.parse import urljoin

import nbformat
from markdown import Markdown
from nbformat import v4

from gradvalve_site import figures, notebooks, values, wheel
from gradvalve_site.words import SEPARATORS

# What Jupyter doesn't know: attribute lists, comments, the attribute `markdown` of HTML elements.
UNKNOWN = r"[ \t]*\{:? *[#.][^{}\n]*\}|<!--.*?-->|(?<=[\w\"]) markdown(=\"\w+\")?(?=[ >])"
LINK = r"\]\((?!\w+:)(?P<path>[^)#\s]*)(?P<anchor>#[^)\s]*)?"
OPTIONS = re.compile(r"^(?P<fence>(?P<indent> *)`{3,} *\w*)(?P<options>[ {][^\n`]*)$", re.MULTILINE)
NOTE = (
    r'^(?:!!!|\?\?\?\+?|===[+!]*)[\w -]*"(?P<title>[^"\n]*)"[^\n]*\n'
    r"(?P<body>(?:(?: {4}[^\n]*)?\n)+)"
)
INSTALL = """\
# Installs what is missing here, in the versions with which this notebook ran.
from importlib.util import find_spec

packages = {packages}
missing = [package for module, package in packages.items() if not find_spec(module)]
if missing:
    %pip install --quiet {{" ".join(missing)}}"""
USE_LABELS = """\
# The words in the figures.
from gradvalve import measure

measure.use_labels({labels}, separators={separators})"""


def write(pieces, notebook, page, config, files):
    """Return the notebook as JSON; `pieces` are prose and the names of cells by turns."""
    cells = []
    for i, piece in enumerate(pieces):
        if i % 2:
            cells += _code(notebook.cells[piece], page, config, files)
        elif text := _plain(piece, page, config, files):
            cells.append(v4.new_markdown_cell(text))
        if i == 0:
            cells += _first_cells(notebook, page, config)
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # otherwise it would change with each build
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.writes(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}))


def for_binder(config):
    """Return the files, by name, that tell Binder what to install so that all notebooks run."""
    packages = {}
    for path in sorted(notebooks.source_folder(config).glob("*.py")):
        packages |= _packages(notebooks.load(path.stem, path.parent), config)
    # Binder's own choice of Python may be too old for these versions.
    python = ".".join(platform.python_version_tuple()[:2])
    return {
        "requirements.txt": "".join(f"{package}\n" for package in packages.values()),
        "runtime.txt": f"python-{python}\n",
    }


def _packages(notebook, config):
    ours = f"gradvalve[plotly]@{urljoin(config.site_url, wheel.ADDRESS)}"
    # One that is built for this processor has another name than the one for all.
    names = {module: name.removesuffix("_cpu") for module, name in notebook.packages.items()}
    others = {module: f"{name}=={notebook.versions[name]}" for module, name in names.items()}
    return {"gradvalve": ours} | others


def _first_cells(notebook, page, config):
    packages = _python(_packages(notebook, config))
    cells = [v4.new_code_cell(INSTALL.format(packages=packages))]
    for file in notebook.data:
        text = file.read_text(encoding="utf-8")
        folded = {"jupyter": {"source_hidden": True}}  # long
        cells.append(v4.new_code_cell(f"%%writefile {file.name}\n{text}", metadata=folded))
    if labels := page.meta.get("labels"):
        separators = _python(SEPARATORS[page.file.locale])
        text = USE_LABELS.format(labels=_python(labels), separators=separators)
        cells.append(v4.new_code_cell(text))
    return cells


def _python(value):
    return json.dumps(value, ensure_ascii=False, indent=4)


def _code(cell, page, config, files):
    """Return the cell with its output, and its caption."""
    outputs = [v4.new_output("stream", text=cell.text)] if cell.text else []
    if cell.picture:
        data = {notebooks.PICTURE: cell.picture}
    elif cell.figure:
        # The table is for programs that don't know Plotly.
        table = figures.table(cell.figure, page.file.locale)
        data = {notebooks.PLOTLY: cell.figure, "text/html": table}
    else:
        return [v4.new_code_cell(cell.code, outputs=outputs)]
    caption = _plain(page.meta["captions"][cell.name], page, config, files)
    outputs.append(v4.new_output("display_data", data))
    return [v4.new_code_cell(cell.code, outputs=outputs), v4.new_markdown_cell(caption)]


def _plain(text, page, config, files):
    """Return Markdown of a page as Jupyter knows it."""
    text = values.fill(text, page, config)
    included = Markdown(
        extensions=["pymdownx.snippets"],
        extension_configs={"pymdownx.snippets": config.mdx_configs["pymdownx.snippets"]},
    )
    text = "\n".join(included.preprocessors["snippet"].run(text.split("\n")))
    text = values.outside_code(UNKNOWN, lambda _: "", text)
    text = values.outside_code(LINK, lambda link: _absolute(link, page, config, files), text)
    text = OPTIONS.sub(_without_options, text)
    if page.file.locale == "ar":
        text = _code_from_left_to_right(text)
    text = _with_quotations(text)
    if page.file.locale == "ar" and text:
        return f'<div dir="rtl">\n\n{text}\n\n</div>'
    return text


def _absolute(link, page, config, files):
    path = normpath(join(dirname(page.file.src_uri), link["path"])) if link["path"] else None
    file = files.get_file_from_path(path) if path else page.file
    if file is None:
        return link[0]  # MkDocs itself warns of it
    return f"]({urljoin(config.site_url, file.url)}{link['anchor'] or ''}"


def _without_options(found):
    title = re.search(r'title="(.*?)"', found["options"])
    return (f"{found['indent']}**{title[1]}**\n\n" if title else "") + found["fence"]


def _with_quotations(text):
    return values.outside_code(NOTE, _quotation, text.strip() + "\n").strip()


def _quotation(note):
    text = f"**{note['title']}**\n\n{_with_quotations(dedent(note['body']))}"
    return indent(text.strip(), "> ", lambda _: True) + "\n\n"


def _code_from_left_to_right(text):
    def marked(part):
        if not part["fence"]:
            return f'<bdi dir="ltr">{part[0]}</bdi>' if part["ticks"] else part[0]
        start = re.match(r"\s*", part[0])[0]
        return f'{start}<div dir="ltr">\n\n{part[0]}\n\n{start}</div>'

    return values.CODE.sub(marked, text)
