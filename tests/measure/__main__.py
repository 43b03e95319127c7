"""Measure what the operations cost, as ratios: `make measure`.

All programs run in turns, round after round, so that whatever else the machine does hits them
alike. What counts is the ratio of the shortest times, which noise touches least; that of the
medians stands beside it. A ratio over its limit is red and makes the exit status 1. Then live.py
measures live examples, and cost.py writes docs/data/cost.json.
"""

import os
import statistics
import sys
from collections.abc import Callable
from typing import NamedTuple

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

from gradvalve.tensorflow import scale_gradient, stop_gradient
from tests.measure import cost, live
from tests.measure.cost import both_ways, seconds

ROUNDS = 50


class Row(NamedTuple):
    """One program against another, each called `calls` times in a round."""

    name: str
    program: Callable
    reference: Callable
    calls: int
    limit: float | None = None


def one_liner(x, scale):
    return x * scale + tf.stop_gradient(x) * (1 - scale)


def small_rows(x, upstream):
    def compared_with_one_liner(name, scale, forward_limit=None, both_limit=None):
        def program(operation):
            return lambda: both_ways(operation, scale, x, upstream)

        return [
            Row(
                f"64 floats, eager, {name}: forward / one-liner",
                lambda: scale_gradient(x, scale),
                lambda: one_liner(x, scale),
                100,
                forward_limit,
            ),
            Row(
                f"64 floats, eager, {name}: forward and backward / one-liner",
                program(scale_gradient),
                program(one_liner),
                40,
                both_limit,
            ),
        ]

    return [
        *compared_with_one_liner("number", 0.3, 1.2, 1.3),
        *compared_with_one_liner("tensor", tf.constant(0.3)),
        Row(
            "64 floats, eager: stop_gradient / tf.stop_gradient",
            lambda: stop_gradient(x),
            lambda: tf.stop_gradient(x),
            100,
        ),
    ]


def large_rows(x, upstream):
    def eager(operation):
        return lambda: both_ways(operation, 0.3, x, upstream)

    def function(operation):
        traced = tf.function(lambda x, upstream: both_ways(operation, 0.3, x, upstream))
        return lambda: traced(x, upstream)

    # The least that any implementation has to do.
    multiply = tf.function(lambda x, upstream: (tf.identity(x), upstream * 0.3))
    eager_least, function_least = lambda: upstream * 0.3, lambda: multiply(x, upstream)
    name = "10^7 floats, {}: forward and backward / one multiplication"
    return [
        Row(name.format("eager"), eager(scale_gradient), eager_least, 1, 1.25),
        Row(name.format("tf.function"), function(scale_gradient), function_least, 1, 1.05),
        Row(name.format("eager, one-liner"), eager(one_liner), eager_least, 1),
        Row(name.format("tf.function, one-liner"), function(one_liner), function_least, 1),
    ]


def measure(rows, rounds=ROUNDS):
    """Return for each row the times of its two programs, a pair for each round."""
    for row in rows:  # the first call traces
        row.program(), row.reference()
    times = [[] for _ in rows]
    for number in range(rounds):
        for row, pairs in zip(rows, times, strict=True):
            pair = [row.program, row.reference]
            order = (0, 1) if number % 2 else (1, 0)  # neither always follows the other
            measured = {which: seconds(pair[which], row.calls) for which in order}
            pairs.append((measured[0], measured[1]))
    return times


def report(rows, times):
    """Print the table; return whether every row is within its limit."""
    width = max(len(row.name) for row in rows)
    print(f"{'':{width}} {'µs':>8} {'against':>8} {'ratio':>6} {'median':>6} {'limit':>6}")
    kept = True
    for row, pairs in zip(rows, times, strict=True):
        program, reference = zip(*pairs, strict=True)
        ratio = min(program) / min(reference)
        medians = statistics.median(program) / statistics.median(reference)
        over = row.limit is not None and ratio > row.limit
        kept = kept and not over
        line = (
            f"{row.name:{width}} {min(program) * 1e6:8.1f} {min(reference) * 1e6:8.1f} "
            f"{ratio:6.2f} {medians:6.2f} {row.limit or '':>6}"
        )
        print(f"\033[31m{line}\033[0m" if over else line)
    return kept


def main():
    random = np.random.default_rng(0)
    small, large = (tf.constant(random.normal(size=(2, n)), tf.float32) for n in (64, 10**7))
    rows = small_rows(*small) + large_rows(*large)
    kept = report(rows, measure(rows))
    kept = live.main() and kept
    cost.main()
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
