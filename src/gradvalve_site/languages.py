"""What the plugin i18n leaves to do for a site in several languages."""

from pathlib import Path
from urllib.parse import urljoin

from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import get_files

log = get_plugin_logger("gradvalve")


def translate_permalinks(config):
    """Give the links at headings a title in the language that is being built."""
    config.mdx_configs["toc"]["permalink_title"] = config.extra["permalink"]


def add_shared_files(files, config):
    """Add the files that belong to no language; i18n keeps them for the first language only."""
    languages = config.plugins["i18n"].all_languages
    for file in get_files(config):
        if file.src_uri.partition("/")[0] not in languages and file.src_uri not in files.src_uris:
            files.append(file)


def warn_of_missing_translations(files, config):
    """Name the pages that the language of origin has and this one doesn't: an error if strict."""
    i18n = config.plugins["i18n"]
    for file in get_files(config):
        language, _, page = file.src_uri.partition("/")
        translation = f"{i18n.current_language}/{page}"
        if language == i18n.default_language and translation not in files.src_uris:
            log.warning(f"docs/{translation} is missing: translate docs/{file.src_uri}")


def link_languages(config, page=None):
    """Let the switcher lead from a page to its translations, elsewhere to the start pages."""
    i18n = config.plugins["i18n"]
    translations = page.file.alternates if page else {}
    # Material reads the attribute; i18n sets it too, but not for start pages and 404 pages.
    config.extra.alternate = []
    for language in i18n.config.languages:
        start = "" if language.default else f"{language.locale}/"
        link = translations[language.locale].url if language.locale in translations else start
        alternate = {"lang": language.locale, "name": language.name, "link": link}
        config.extra.alternate.append(alternate | {"address": urljoin(config.site_url, link)})


def place_template(output, name, config):
    """Write 404.html into the folder of its language: MkDocs itself has only one place for it."""
    i18n = config.plugins["i18n"]
    if name != "404.html" or i18n.is_default_language_build:
        return output
    page = Path(config.site_dir, i18n.current_language, name)
    page.parent.mkdir(exist_ok=True)
    page.write_text(output, encoding="utf-8")
    return ""
