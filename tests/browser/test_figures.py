"""Figures of notebooks: loaded late, in the colours of the page, for everyone."""

import pytest
from playwright.sync_api import expect

PAGE = "notebooks/muzero_unroll/"
STARTS = {"en": "", "de": "de/", "fr": "fr/", "ar": "ar/"}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NARROW = {"viewport": {"width": 360, "height": 800}}
SLIDER = ".gv-figure:has(.gv-slider)"


def drawn(page, figure=".gv-figure >> nth=0"):
    """Scroll to a figure and return it when it has been drawn."""
    figure = page.locator(figure)
    figure.scroll_into_view_if_needed()
    figure.locator(".main-svg").first.wait_for()
    return figure


def all_drawn(page):
    for chart in page.locator(".gv-chart").all():
        chart.scroll_into_view_if_needed()
        chart.locator(".main-svg").first.wait_for()


def test_plotly_is_loaded_once_and_only_when_a_figure_comes_near(open_page):
    page = open_page(PAGE)
    page.wait_for_load_state("networkidle")
    assert [url for url in page.asked if "plotly" in url or url.endswith("/totals.json")] == []

    all_drawn(page)

    assert len([url for url in page.asked if "plotly" in url]) == 1


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS.keys())
@pytest.mark.parametrize("options", [NARROW, {}], ids=["narrow", "wide"])
def test_figures_fit_and_cause_no_faults(open_page, base, start, options):
    page = open_page(start + PAGE, **options)
    all_drawn(page)

    assert page.faults == []
    assert [url for url in page.asked if not url.startswith((base, "data:"))] == []
    assert page.evaluate(OVERFLOW) == 0
    for chart in page.locator(".gv-chart").all():
        inside = chart.evaluate(
            "chart => [...chart.querySelectorAll('text')].every(text => {"
            "const [a, b] = [text, chart].map(e => e.getBoundingClientRect());"
            "return a.left >= b.left - 1 && a.right <= b.right + 1 })"
        )
        assert inside, chart.get_attribute("data-figure")


def test_nothing_moves_when_a_figure_arrives(open_page):
    page = open_page(PAGE)
    heights = "[...document.querySelectorAll('.gv-figure')].map(f => f.offsetHeight)"
    before = page.evaluate(heights)

    all_drawn(page)

    assert page.evaluate(heights) == before


def test_figures_follow_the_colour_scheme_at_once(open_page):
    page = open_page(PAGE, color_scheme="light")
    figure = drawn(page)
    title = figure.locator(".xtitle")

    expect(title).to_have_css("fill", "rgb(27, 34, 42)")
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")

    expect(title).to_have_css("fill", "rgb(229, 226, 219)")
    assert figure.locator(".gv-chart .trace").count() == 4


def test_the_slider_exchanges_the_data_by_mouse_and_by_keyboard(open_page):
    page = open_page(PAGE)
    figure = drawn(page, SLIDER)
    slider, output = figure.locator("input"), figure.locator("output")
    points = "figure => figure.querySelector('.gv-chart').data[0].x.length"
    assert (output.inner_text(), figure.evaluate(points)) == ("K = 50", 50)

    slider.press("ArrowLeft")
    assert (output.inner_text(), figure.evaluate(points)) == ("K = 20", 20)
    assert slider.get_attribute("aria-valuetext") == "20"

    slider.click(position={"x": 1, "y": 5})
    assert (output.inner_text(), figure.evaluate(points)) == ("K = 1", 1)


def test_the_slider_keeps_its_place_when_the_scheme_changes(open_page):
    page = open_page(PAGE, color_scheme="light")
    figure = drawn(page, SLIDER)
    figure.locator("input").press("Home")
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    page.wait_for_timeout(200)

    assert figure.evaluate("figure => figure.querySelector('.gv-chart').data[0].x.length") == 1


def test_without_javascript_the_table_takes_the_place_of_the_chart(open_page):
    page = open_page(PAGE, java_script_enabled=False)
    figure = page.locator(".gv-figure >> nth=0")

    assert figure.locator(".gv-no-script").is_visible()
    assert figure.locator("figcaption").is_visible()
    assert not figure.locator(".gv-chart").is_visible()
    assert not page.locator(".gv-slider >> nth=0").is_visible()
    figure.locator("summary").click()
    assert figure.locator("td:has-text('1275')").is_visible()


def test_with_javascript_nothing_speaks_of_it(open_page):
    assert not open_page(PAGE).locator(".gv-no-script >> nth=0").is_visible()


def test_arabic_labels_are_arabic_and_axes_run_from_left_to_right(open_page):
    page = open_page("ar/" + PAGE)
    figure = drawn(page)
    title = figure.locator(".xtitle").text_content()
    ticks = figure.locator(".xtick text").all()
    first, last = (tick.bounding_box()["x"] for tick in (ticks[0], ticks[-1]))

    assert any("\u0600" <= letter <= "\u06ff" for letter in title)
    assert first < last


@pytest.mark.parametrize("language", STARTS)
def test_the_notebook_of_the_language_can_be_downloaded(open_page, language):
    page = open_page(STARTS[language] + PAGE)

    with page.expect_download() as download:
        page.click(".gv-notebook a")

    assert download.value.suggested_filename == "muzero_unroll.ipynb"
    assert f"/downloads/notebooks/{language}/" in download.value.url
