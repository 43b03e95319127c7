"""Short inline code stays on one line; long code and blocks of code don't have to."""

import pytest

from gradvalve_site.inline_code import keep_together

MARKED = '<code class="gv-short">'


@pytest.mark.parametrize("code", ["s = 1", "(1-s)", "x &lt; 0", "scale_gradient(loss, weight)"])
def test_short_code_is_kept_together(code):
    assert keep_together(f"<p>a <code>{code}</code>.") == f"<p>a {MARKED}{code}</code>."


@pytest.mark.parametrize(
    "html",
    [
        "<p><code>hidden_state.register_hook(lambda g: g * 0.5)</code>",
        "<pre><code>value: 9\n</code></pre>",
        '<pre><span></span><code><span class="n">x</span>\n</code></pre>',
    ],
)
def test_other_code_stays_as_it_is(html):
    assert keep_together(html) == html


X = '<span class="arithmatex"><math><mi>x</mi></math></span>'


@pytest.mark.parametrize("together", [f"{X}.", f"({X}),", f"„{X}“", f"{X}،"])
def test_a_formula_stays_with_the_punctuation_beside_it(together):
    assert (
        keep_together(f"<p>a {together} b") == f'<p>a <span class="gv-together">{together}</span> b'
    )


@pytest.mark.parametrize("html", [f"<p>a {X} b", '<div class="arithmatex"><math></math></div>.'])
def test_a_formula_by_itself_stays_as_it_is(html):
    assert keep_together(html) == html
