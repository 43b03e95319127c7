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
