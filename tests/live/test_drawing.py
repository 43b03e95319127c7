"""What numbers look like to readers, and what charts promise, in both interpreters."""

import re
from itertools import pairwise

import pytest

from gradvalve.drawing import number
from tests.live.conftest import find, text_of

INF, NAN = float("inf"), float("nan")


@pytest.fixture
def plot(run):
    """Return the function that draws a chart in both interpreters, and returns its parts."""

    def plot(x, series, kind="lines", **options):
        names = {"decimal": options.pop("decimal", "."), "labels": options.pop("labels", None)}
        source = f"""
from gradvalve.live import plot
inf, nan = float("inf"), float("nan")
plot({x!r}, {series!r}, {kind!r}, **{options!r})
"""
        result = run(source, **names)
        assert result["error"] is None
        (tree,) = result["output"]
        return tree

    return plot


def texts(tree, kind="text"):
    return [text_of(each).strip("\u2067\u2069") for each in find(tree, kind)]


def places(tree, axis, anchor):
    """Return {text: coordinate} of the texts with this anchor."""
    found = [each for each in find(tree, "text") if each[1]["text-anchor"] == anchor]
    return {text_of(each): float(each[1][axis]) for each in found}


def y_ticks(tree):
    return places(tree, "y", "end")


def bars(tree, row=1):
    """Return (x, start, end) of the bars of a series."""
    (path,) = [each for each in find(tree, f"gv-series-{row}") if "gv-bar" in each[1]["class"]][-1:]
    steps = re.findall(r"M([\d.-]+) ([\d.-]+)V([\d.-]+)", path[1]["d"])
    return [tuple(map(float, step)) for step in steps]


def heights(tree, row=1):
    return [start - end for _, start, end in bars(tree, row)]


def points(tree, row=1):
    """Return (whether a line leads there, x, y) of the points of a curve."""
    (path,) = [each for each in find(tree, f"gv-series-{row}") if "gv-curve" in each[1]["class"]][
        -1:
    ]
    steps = re.findall(r"([ML])([\d.-]+) ([\d.-]+)", path[1]["d"])
    return [(step == "L", float(x), float(y)) for step, x, y in steps]


def description(tree):
    (picture,) = find(tree, "gv-picture")
    return picture[1]["aria-label"]


# Numbers.

NUMBERS = [
    (0, "0"),
    (-0.0, "0"),
    (12.0, "12"),
    (-12, "−12"),
    (0.5, "0.5"),
    (1 / 3, "0.333"),
    (-2 / 3, "−0.667"),
    (0.1 + 0.2, "0.3"),
    (2.005, "2.01"),  # the float below is nearer to 2.005 than three digits can tell
    (9.999, "10"),
    (99.95, "100"),
    (1 / 32, "0.0313"),
    (3 / 32, "0.0938"),
    (0.00123, "0.00123"),
    (0.00099996, "0.001"),
    (0.000999, "9.99e−4"),
    (1234.5, "1235"),
    (2501, "2501"),
    (999999, "999999"),
    (999999.7, "1e6"),
    (1234567, "1.23e6"),
    (1e6, "1e6"),
    (-1.2e-5, "−1.2e−5"),
    (1e-5, "1e−5"),
    (9.999e-5, "1e−4"),
    (1.7976931348623157e308, "1.8e308"),
    (5e-324, "4.94e−324"),
    (INF, "∞"),
    (-INF, "−∞"),
    (NAN, "nan"),
    (None, "None"),
]


@pytest.mark.parametrize(("value", "expected"), NUMBERS)
def test_numbers_have_three_digits_and_the_decimal_sign_of_the_language(value, expected):
    assert number(value) == expected
    assert number(value, ",") == expected.replace(".", ",")


def test_numbers_and_coordinates_look_the_same_in_micropython(run):
    source = f"""
from gradvalve.drawing import at, number
inf, nan = float("inf"), float("nan")
for value in {[value for value, _ in NUMBERS]}:
    print(number(value), number(value, ",", 2))
for i in range(-300, 300):  # many halves
    print(number(i / 64), at(i / 80))
"""

    lines = text_of(run(source)["output"]).splitlines()

    assert len(lines) == len(NUMBERS) + 600


@pytest.mark.parametrize(
    ("digits", "expected"), [(1, "0.1"), (2, "0.12"), (5, "0.12346"), (9, "0.123456789")]
)
def test_more_digits_are_shown_if_wanted(digits, expected):
    assert number(0.123456789, digits=digits) == expected


# Bars and lines.


def test_bars_are_as_high_as_their_values(plot):
    tree = plot(["a", "b", "c"], [("s", [1, 4, -2])], "bars")

    unit = heights(tree)[0]
    assert heights(tree) == pytest.approx([unit, 4 * unit, -2 * unit], abs=0.2)
    assert {start for _, start, _ in bars(tree)} == {bars(tree)[0][1]}


def test_bars_stand_where_the_axis_says(plot):
    tree = plot(["a", "b"], [("s", [0.5, 2])], "bars")

    ticks = y_ticks(tree)
    for (_, start, end), value in zip(bars(tree), ["0.5", "2"], strict=True):
        assert end == pytest.approx(ticks[value] - 4, abs=0.2)  # texts stand 4 below their middle
        assert start == pytest.approx(ticks["0"] - 4, abs=0.2)


def test_bars_of_several_series_stand_side_by_side(plot):
    tree = plot(["a", "b"], [("s", [1, 2]), ("t", [2, 1]), ("u", [1, 1])], "bars")

    width = float(find(tree, "gv-bar")[-1][1]["stroke-width"])
    at = sorted(x for row in (1, 2, 3) for x, _, _ in bars(tree, row))
    assert all(b - a > width for a, b in pairwise(at))


def test_stacked_bars_stand_on_each_other_above_and_below_zero(plot):
    tree = plot(["a", "b"], [("s", [1, -1]), ("t", [2, 2]), ("u", [None, -3])], "stacked")

    unit = heights(tree, 1)[0]
    assert bars(tree, 2)[0][1] == pytest.approx(bars(tree, 1)[0][2], abs=1.1)  # a gap of 1
    assert bars(tree, 1)[0][1] - bars(tree, 2)[0][2] == pytest.approx(3 * unit, abs=0.2)
    assert bars(tree, 2)[1][1] == bars(tree, 1)[1][1]
    assert bars(tree, 3)[0][1] == pytest.approx(bars(tree, 1)[1][2], abs=1.1)
    assert bars(tree, 3)[0][2] - bars(tree, 1)[1][1] == pytest.approx(4 * unit, abs=0.2)


def test_a_chart_of_many_bars_has_few_elements(plot):
    few = plot(list(range(13)), [("s", [1] * 13)], "bars")
    many = plot(list(range(500)), [("s", [1] * 500)], "bars")

    assert len(bars(many)) == 500
    assert len(find(many, "path")) == len(find(few, "path"))
    assert len(find(many, "text")) <= len(find(few, "text")) + 10


@pytest.mark.parametrize("gap", [None, INF, -INF, NAN, 1e301])
def test_what_cannot_be_drawn_is_a_gap(plot, gap):
    lines = points(plot([0, 1, 2, 3], [("s", [1, 2, gap, 1])]))

    assert [joined for joined, _, _ in lines] == [False, True, False]
    assert len(bars(plot([0, 1, 2], [("s", [1, gap, 2])], "bars"))) == 2


def test_a_point_between_gaps_is_visible(plot):
    tree = plot([0, 1, 2] * 5, [("s", [None, 1, None] * 5)])

    assert find(tree, "gv-curve")[0][1]["d"].count("h0") == 5


def test_numbers_on_the_x_axis_are_at_their_distances(plot):
    _, (_, a, _), (_, b, _), (_, c, _) = points(plot([-1, 0, 1, 3], [("s", [1, 2, 3, 4])]))

    assert c - b == pytest.approx(2 * (b - a), abs=0.31)


def test_equal_ratios_are_equal_distances_on_a_logarithmic_axis(plot):
    ys = [y for _, _, y in points(plot([0, 1, 2], [("s", [1e-3, 1, 1e3])], logarithmic=True))]

    assert ys[0] - ys[1] == pytest.approx(ys[1] - ys[2], abs=0.2)


def test_zero_and_below_are_gaps_on_a_logarithmic_axis(plot):
    assert len(points(plot([0, 1, 2], [("s", [0, -1, 10])], logarithmic=True))) == 1


def test_the_shortest_bar_on_a_logarithmic_axis_is_visible(plot):
    assert min(heights(plot(["a", "b"], [("s", [0.1, 10])], "bars", logarithmic=True))) > 10


# Axes.

RANGES = [
    ([0, 1], "0 0.5 1"),
    ([0.3], "0 0.1 0.2 0.3"),
    ([3, 7.2], "2 4 6 8"),
    ([-1, 0.2], "−1 −0.5 0 0.5"),
    ([1000.5, 1001], "1000.4 1000.6 1000.8 1001"),
    ([1e-7, 3e-7], "1e−7 1.5e−7 2e−7 2.5e−7 3e−7"),
    ([0, 2e6], "0 500000 1e6 1.5e6 2e6"),
    ([0, 0], "0 0.5 1"),
    ([None], "0 0.5 1"),
    ([5e-324], "0 0.5 1"),
]


@pytest.mark.parametrize(("values", "expected"), RANGES)
def test_ticks_are_round_numbers_around_the_values(plot, values, expected):
    tree = plot(list(range(len(values))), [("s", values)])

    assert set(expected.split()) <= set(y_ticks(tree))
    assert len(y_ticks(tree)) <= 6


LOGARITHMIC = [
    ([0.3, 0.8], "0.1 0.2 0.5 1"),
    ([1, 1000], "1 10 100 1000"),
    ([1e-10, 1e10], "1e−10 1e−6 0.01 100 1e6 1e10"),
    ([1e-300, 1e299], "1e−300 1e−200 1e−100 1 1e100 1e200 1e300"),
    ([0, None], "1 2 5 10"),
]


@pytest.mark.parametrize(("values", "expected"), LOGARITHMIC)
def test_logarithmic_ticks_are_powers_of_ten(plot, values, expected):
    tree = plot(list(range(len(values))), [("s", values)], logarithmic=True)

    assert set(expected.split()) <= set(y_ticks(tree))
    assert len(y_ticks(tree)) <= 8


def test_whole_x_have_whole_ticks(plot):
    assert set(texts(plot([1, 2, 3], [("s", [1, 2, 3])]), "text")) >= {"1", "2", "3"}
    assert "1.5" not in places(plot([1, 2, 3], [("s", [10, 20, 30])]), "x", "middle")


@pytest.mark.parametrize("count", [1, 5, 20, 50, 300])
@pytest.mark.parametrize("name", ["h{}", "scale_gradient_{}", "no maximum {}"])
def test_texts_below_the_axis_neither_overlap_nor_leave_the_picture(plot, count, name):
    tree = plot([name.format(i) for i in range(count)], [("s", [1] * count)], "bars")

    rows = {}
    for each in find(tree, "text"):
        if each[1]["text-anchor"] == "middle" and not each[1]["class"]:
            half = 7 * len(text_of(each)) / 2
            row = rows.setdefault(each[1]["y"], [])
            row.append((float(each[1]["x"]) - half, float(each[1]["x"]) + half))
    assert rows
    for row in rows.values():
        assert min(row)[0] >= 0
        assert max(row)[1] <= 340
        row.sort()
        assert all(a[1] <= b[0] + 2 for a, b in pairwise(row))


def test_a_few_long_names_are_all_shown(plot):
    names = [f"scale_gradient_{i}" for i in range(6)]

    assert set(names) <= set(texts(plot(names, [("s", [1] * 6)], "bars")))


def test_long_names_are_broken_at_spaces(plot):
    names = ["both", "only the outer", "no maximum"]

    tree = plot(names, [("s", [1, 1, 1]), ("t", [1, 1, 1])], "bars")

    below = [each for each in find(tree, "text") if each[1]["text-anchor"] == "middle"]
    lines = [text_of(each) for each in below if not each[1]["class"]]
    assert lines == ["both", "only the", "outer", "no maximum"]


# Texts.


def test_values_are_written_at_bars_while_there_is_room(plot):
    few = plot(["a", "b"], [("s", [0.25, -3])], "bars", decimal=",")
    many = plot(list(range(20)), [("s", [0.125] * 20)], "bars")

    assert texts(few, "gv-value") == ["0,25", "−3"]
    assert texts(many, "gv-value") == []


def test_sums_are_written_on_stacks(plot):
    stacks = plot(["a", "b"], [("s", [1, 2]), ("t", [0.5, None])], "stacked")
    both_signs = plot(["a", "b"], [("s", [1, 2]), ("t", [-0.5, None])], "stacked")

    assert texts(stacks, "gv-value") == ["1.5", "2"]
    assert texts(both_signs, "gv-value") == []


def test_several_series_have_a_legend_and_a_single_one_names_the_axis(plot):
    one = plot([0, 1], [("first", [1, 2])])
    two = plot([0, 1], [("first", [1, 2]), ("second", [1, 2])], y_title="y")

    assert find(one, "gv-key") == []
    assert texts(one, "gv-axis-title") == ["first"]
    assert texts(two, "gv-key") == ["first", "second"]
    assert texts(two, "gv-axis-title") == ["y"]


def test_each_of_twelve_series_has_a_class_of_its_own(plot):
    tree = plot([0, 1], [(f"s{i}", [i, i]) for i in range(12)])

    curves = find(find(tree, "gv-picture"), "gv-curve")
    assert len({curve[1]["class"] for curve in curves}) == 12


def test_few_values_are_all_told(plot):
    tree = plot(["a", "b"], [("s", [0.5, None]), ("t", [None, None])], "bars", title="Title")

    assert description(tree) == "Bar chart. s: 0.5 at a. t: None."
    assert texts(tree, "gv-title") == ["Title"]


def test_of_many_values_ends_and_extremes_are_told(plot):
    values = [None, 3, *range(20), 7.5]

    tree = plot([i / 2 for i in range(23)], [("s", values)], decimal=",")

    assert description(tree) == "Line chart. s: 3 at 0,5, 7,5 at 11; lowest 0, highest 19."


def test_arabic_texts_in_pictures_keep_their_direction(plot):
    tree = plot(["hook", "K"], [("a", [1, 2])], "bars", labels={"hook": "الخطاف (hook)"})

    shown = [text_of(each) for each in find(tree, "text")]
    assert "\u2067الخطاف\u2069" in shown or "\u2067الخطاف (hook)\u2069" in shown
    assert "K" in shown
