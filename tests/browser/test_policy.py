"""The content security policy in a real browser: the site keeps it, and it keeps others out."""

import pytest

LANGUAGES = {"en": "", "de": "de/", "fr": "fr/", "ar": "ar/"}
# One page of each kind. A 404 page stands where no page is.
PAGES = ["", "tutorial/scale/", "reference/engine/", "notebooks/muzero_unroll/", "404.html"]
# Chromium does not always say on the console what it refuses: the event does.
WATCH = """
window.refused = []
addEventListener("securitypolicyviolation", event => {
  refused.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}`)
})
"""
PATIENCE = 50  # tenths of a second
QUERIES = {"en": "gradient", "de": "Gradient", "fr": "gradient", "ar": "التدرّج"}


@pytest.fixture
def watched(open_page, base):
    """A function that opens a page on which `refused` lists what the policy has refused."""

    def opened(address="", **options):
        page = open_page("404.html", **options)
        page.add_init_script(WATCH)
        page.reached = []  # what left for other hosts: `asked` names what was refused, too
        page.route("https://example.org/**", lambda route: page.reached.append(route.request.url))
        page.faults.clear()
        page.goto(base + address)
        return page

    return opened


def refused(page):
    """Return what the policy has refused, as soon as there is something."""
    for _ in range(PATIENCE):
        if found := page.evaluate("refused"):
            return found
        page.wait_for_timeout(100)
    return []


def use(page, language):
    """Do what readers do: look at figures, run examples, unfold, change the colours, search."""
    for example in page.locator(".gv-live").all():
        example.locator("[data-action=run]").click()
        example.locator(".gv-live__controls :is(input, select)").first.press("ArrowRight")
        example.and_(page.locator("[data-state=ran]")).wait_for()
    for chart in page.locator(".gv-chart").all():
        chart.scroll_into_view_if_needed()
        chart.locator(".main-svg").first.wait_for()
    for slider in page.locator(".gv-slider input").all():
        slider.press("ArrowLeft")
    for details in page.locator("article details").all():
        details.locator("summary").click()
    for label in page.locator("article .tabbed-labels label").all():
        label.click()
    for _ in range(3):
        page.locator("form[data-md-component=palette] label:visible").click()
    page.fill(".md-search__input", QUERIES[language])
    page.press(".md-search__input", "Space")
    page.wait_for_selector(".md-search-result__item")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_site_keeps_its_policy(watched, language, page):
    opened = watched(LANGUAGES[language] + page)
    use(opened, language)
    opened.wait_for_load_state("networkidle")

    assert opened.evaluate("refused") == []
    assert opened.faults == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_for_addresses_that_do_not_exist_keeps_the_policy(watched, language):
    opened = watched(f"{LANGUAGES[language]}no/such/page/")
    opened.wait_for_selector(f"html[lang={language}]")
    use(opened, language)

    assert opened.evaluate("window.refused ?? []") == []
    assert [fault for fault in opened.faults if "policy" in fault.lower()] == []


# What an attacker would put into a page, and the rule that refuses it.
ATTACKS = {
    "an inline script": (
        "script-src-elem",
        "const s = document.createElement('script'); s.textContent = 'window.harm = 1';"
        "document.body.append(s)",
    ),
    "an inline handler": (
        "script-src-attr",
        "document.body.insertAdjacentHTML('beforeend', '<img src=\"no\" onerror=\"harm = 1\">')",
    ),
    "eval": ("script-src", "setTimeout('window.harm = 1')"),
    "a script of another host": (
        "script-src-elem",
        "const s = document.createElement('script'); s.src = 'https://example.org/a.js';"
        "document.body.append(s)",
    ),
    "a script in a data address": ("script-src-elem", "import('data:text/javascript,harm=1')"),
    "an inline style": (
        "style-src-attr",
        "document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">')",
    ),
    "a style element": (
        "style-src-elem",
        "document.head.insertAdjacentHTML('beforeend', '<style>p { color: red }</style>')",
    ),
    "an image of another host": (
        "img-src",
        "document.body.insertAdjacentHTML('beforeend', '<img src=\"https://example.org/a.png\">')",
    ),
    "a request to another host": ("connect-src", "fetch('https://example.org/')"),
    "a frame of another host": (
        "frame-src",
        "document.body.insertAdjacentHTML('beforeend', '<iframe src=\"https://example.org/\">')",
    ),
    "a module of another host": (
        "script-src-elem",
        "import('https://example.org/a.js')",
    ),
    "another base for links": (
        "base-uri",
        "document.head.insertAdjacentHTML('afterbegin', '<base href=\"https://example.org/\">')",
    ),
    "a form that is sent to another host": (
        "form-action",
        "document.body.insertAdjacentHTML('beforeend', "
        '\'<form id="sent" action="https://example.org/">\'); sent.submit()',
    ),
    "an object": (
        "object-src",
        "document.body.insertAdjacentHTML('beforeend', '<object data=\"assets/images/icon.png\">')",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_put_into_a_page_later_is_refused(watched, attack):
    directive, script = ATTACKS[attack]
    page = watched()
    page.evaluate(f"() => {{ {script} }}")

    assert {each.split()[0] for each in refused(page)} == {directive}
    assert page.evaluate("window.harm") is None
    assert page.reached == []


def test_a_worker_from_a_blob_is_bound_by_the_policy(watched):
    page = watched()
    answer = page.evaluate(
        """() => new Promise(resolve => {
          const code = `fetch('https://example.org/')
            .then(() => 'reached', () => 'refused').then(answer => postMessage(answer))`
          const blob = new Blob([code], { type: "text/javascript" })
          const worker = new Worker(URL.createObjectURL(blob), { type: "module" })
          worker.onmessage = ({ data }) => resolve(data)
          worker.onerror = () => resolve("no worker")
        })"""
    )

    assert answer == "refused"
    assert page.reached == []


def test_the_watch_sees_what_a_page_does_against_its_policy(watched):
    page = watched()
    page.evaluate("() => document.body.setAttribute('style', 'color: red')")

    (complaint,) = refused(page)
    assert complaint.startswith("style-src-attr")
    assert any("Content Security Policy" in fault for fault in page.faults)


def test_without_the_policy_the_same_attacks_succeed(watched):
    page = watched(bypass_csp=True)
    for attack in ("an inline script", "a request to another host"):
        page.evaluate(f"() => {{ {ATTACKS[attack][1]} }}")

    assert page.evaluate("window.harm") == 1
    assert page.reached == ["https://example.org/"]
