"""What MkDocs calls while it builds the site, once per language. The modules do the work."""

import importlib
import logging

from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from pymdownx.snippets import SnippetMissingError

from gradvalve import drawing, graph, graph_drawing, graph_layout, measure
from gradvalve import live as live_python
from gradvalve_site import (
    assets,
    bundle,
    cells,
    examples,
    figures,
    fonts,
    foreign,
    glossary,
    inline_code,
    ipynb,
    languages,
    live,
    mathematics,
    notebooks,
    policy,
    search,
    snippets,
    thumbnails,
    values,
    wheel,
    words,
)

# The plugin i18n acts at -100; when the first language is done, it has MkDocs build the others.
AFTER_I18N = -150

# It tells each setting that it changes.
logging.getLogger("mkdocs.plugins.mkdocs_static_i18n").setLevel(logging.WARNING)

serving = False


def on_startup(command, **_):
    global serving
    serving = command == "serve"


@event_priority(AFTER_I18N)
def on_config(config):
    if not config.plugins["i18n"].building:
        # `mkdocs serve` outlives edits of the modules (but not of this file: start it again).
        for module in (  # each after those that it imports
            graph,
            drawing,
            graph_layout,
            graph_drawing,
            live_python,
            measure,
            snippets,
            notebooks,
            words,
            examples,
            values,
            figures,
            thumbnails,
            glossary,
            foreign,
            wheel,
            ipynb,
            cells,
            live,
            fonts,
            inline_code,
            bundle,
            assets,
            languages,
            mathematics,
            search,
            policy,
        ):
            importlib.reload(module)
    languages.translate_permalinks(config)


@event_priority(AFTER_I18N)
def on_files(files, config):
    languages.warn_of_missing_translations(files, config)
    languages.add_shared_files(files, config)
    assets.add(files, config)


def on_page_markdown(markdown, page, config, files):
    markdown = glossary.fill(glossary.link(markdown, page, config), page, config)
    markdown = thumbnails.fill(cells.fill(markdown, page, config, files), page, config)
    return values.fill(live.fill(markdown, page, config), page, config)


@event_priority(50)  # before the plugin typeset takes the headings
def on_page_content(html, page, config, **_):
    html = inline_code.keep_together(mathematics.to_mathml(html, page))
    return live.place(foreign.mark(html, page, config), page)


def on_page_context(_context, page, config, **_):
    languages.link_languages(config, page)


def on_template_context(_context, config, **_):
    languages.link_languages(config)


def on_post_template(output, template_name, config):
    return languages.place_template(output, template_name, config)


@event_priority(AFTER_I18N)
def on_post_build(config):
    if not config.plugins["i18n"].building:
        mathematics.stop()
        search.write_index(config.site_dir)
        if not serving:  # `mkdocs serve` puts a script of its own into the pages
            policy.write(config.site_dir)


def on_build_error(error):
    if isinstance(error, SnippetMissingError):
        raise PluginError(str(error)) from error  # one line instead of a traceback
