"""Keeps short inline code on one line, and formulas on that of the punctuation beside them.

Browsers break `s = 1` after the equals sign and `(1-s)` after the minus; on Arabic pages the two
halves then stand in an order that nobody can read. CSS can't tell short code from long code, which
has to break on a phone. Between a formula and a full stop or a bracket they break as well.
"""

import re

# 28 characters fit into a list item at 360 px. Code in blocks holds a <span>, or ends a <pre>.
SHORT = re.compile(r"<code>([^<]{1,28}</code>)(?!</pre>)")

BESIDE = re.compile(r"""([(„“«]*)(<span class="arithmatex">.*?</span>)([.,;:!?…)”“»،؛؟]*)""", re.S)


def keep_together(html):
    """Return the HTML of a page with what belongs on one line marked as such."""
    return BESIDE.sub(_formula, SHORT.sub(r'<code class="gv-short">\1', html))


def _formula(found):
    before, formula, after = found.groups()
    return f'<span class="gv-together">{found[0]}</span>' if before or after else formula
