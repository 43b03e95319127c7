"""Keeps short inline code on one line.

Browsers break `s = 1` after the equals sign and `(1-s)` after the minus; on Arabic pages the two
halves then stand in an order that nobody can read. CSS can't tell short code from long code, which
has to break on a phone.
"""

import re

# 28 characters fit into a list item at 360 px. Code in blocks holds a <span>, or ends a <pre>.
SHORT = re.compile(r"<code>([^<]{1,28}</code>)(?!</pre>)")


def keep_together(html):
    """Return the HTML of a page with its short inline code marked as such."""
    return SHORT.sub(r'<code class="gv-short">\1', html)
