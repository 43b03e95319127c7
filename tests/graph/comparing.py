"""When results are the same: numbers up to rounding, nan with nan, None and texts exactly."""

import math


def same(actual, expected, relative):
    """Tell whether two lists of results agree, numbers within this relative difference."""
    return len(actual) == len(expected) and all(
        _same(*pair, relative) for pair in zip(actual, expected, strict=True)
    )


def _same(actual, expected, relative):
    if not isinstance(actual, float) or not isinstance(expected, (int, float)):
        return actual == expected
    if math.isnan(actual) or math.isnan(expected):
        return math.isnan(actual) and math.isnan(expected)
    return actual == expected or abs(actual - expected) <= relative * abs(expected) < math.inf


def same_signs(actual, expected):
    """Tell whether also the zeros of two lists of numbers have the same signs."""
    pairs = zip(actual, expected, strict=True)
    return all(math.copysign(1, a) == math.copysign(1, b) for a, b in pairs if a == b == 0)
