"""What the page says about changed values: each such sentence is a test."""

from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf

ROOT = Path(__file__).parents[2]
ONE_LINERS = ("one-liner", "summands swapped", "remainder stopped")
REWRITINGS = (*ONE_LINERS, "difference scaled")


@pytest.fixture(scope="module")
def names(notebook):
    """The definitions of the notebook: variants, numbers, result, share, special."""
    defined = {}
    for cell in ("setup", "variants", "numbers", "share"):
        exec(notebook.cells[cell].code, defined)
    special, _, _ = notebook.cells["special"].code.partition("\n\n\n")
    exec(special, defined)
    return defined


@pytest.fixture(scope="module")
def share(names):
    """A function: how many numbers of [1, 2) of a type change, in percent."""
    return lambda name, mode, dtype, s: names["share"](
        name, mode, names["interval"](dtype, most=2**12), s
    )


def bits(array):
    return array.view(f"u{array.itemsize}")


def test_ours_changes_no_value(printed):
    assert float(printed["scale_gradient, largest"]) == 0
    assert float(printed["scale_gradient, largest share of special values"]) == 0


def test_the_scaled_difference_changes_no_ordinary_number(printed, share):
    assert float(printed["difference scaled, largest"]) == 0
    for s in (0.1, 0.9, -0.5, 3.0):
        assert share("difference scaled", "eager", "float32", s) == 0


@pytest.mark.parametrize("name", ONE_LINERS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_others_change_some_in_every_type(printed, name, dtype):
    assert 5 < float(printed[f"{name}, {dtype}, eager"]) < 40


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("s", [0.3, 0.1])
def test_a_changed_value_differs_in_its_last_bit(names, dtype, s):
    x = names["interval"](dtype, most=2**12)

    y = names["result"]("one-liner", "eager", x, s)

    steps = np.abs(bits(y).astype(np.int64) - bits(x).astype(np.int64))
    assert set(steps) == {0, 1}


@pytest.mark.parametrize("name", REWRITINGS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_a_traced_function_changes_the_same_values_as_eager_mode(names, name, dtype):
    _, special = names["special"](dtype)
    x = np.concatenate([names["interval"](dtype, most=2**12), special])

    for s in (0.3, -1):
        results = [names["result"](name, mode, x, s) for mode in ("eager", "tf.function")]
        np.testing.assert_array_equal(*map(bits, results))


@pytest.mark.parametrize("s", [-1, 0, 0.25, 0.5, 0.75, 1, 2])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_one_liner_is_exact_for_few_scales(share, s, dtype):
    assert share("one-liner", "eager", dtype, s) == 0


def test_among_the_tenths_it_is_exact_for_no_others(printed):
    assert printed["exact"] == "[-1.0, 0.0, 0.5, 1.0, 2.0]"


@pytest.fixture(scope="module")
def over_scales(notebook):
    traces = notebook.cells["scales"].figure["data"]
    return {t["name"]: dict(zip(t["x"], t["y"], strict=True)) for t in traces}


def test_stopping_the_remainder_is_exact_from_one_half_to_two(over_scales):
    line = over_scales["remainder stopped"]

    assert {share for s, share in line.items() if 0.5 <= s <= 2} == {0}
    assert all(share > 0 for s, share in line.items() if 0 < s < 0.5 or -1 < s < 0)


def test_a_compiled_program_changes_others_and_at_some_scales_more(over_scales):
    eager, compiled = over_scales["one-liner"], over_scales["one-liner, compiled"]

    assert any(compiled[s] < eager[s] for s in eager)
    assert max(compiled.values()) > max(eager.values())


def test_outside_of_zero_to_one_most_numbers_change(over_scales):
    line = over_scales["one-liner"]
    inside = max(share for s, share in line.items() if 0 <= s <= 1)
    outside = max(share for s, share in line.items() if not 0 <= s <= 1)

    assert inside < 50 < outside


def test_swapping_the_summands_matters_only_when_compiled(printed):
    for key, share in printed.items():
        other = key.replace("one-liner", "summands swapped")
        if key.startswith("one-liner, ") and "eager" in key:
            assert printed[other] == share
    compiled = [printed[f"{name}, float64, compiled"] for name in ONE_LINERS[:2]]
    assert compiled[0] != compiled[1]


def test_compiling_changes_nothing_for_the_half_types(printed):
    for name in ONE_LINERS:
        for dtype in ("float16", "bfloat16"):
            assert printed[f"{name}, {dtype}, compiled"] == printed[f"{name}, {dtype}, eager"]


@pytest.mark.parametrize(("name", "dtype"), [("float16", np.float16), ("float32", np.float32)])
def test_in_eager_mode_products_and_sum_are_rounded_each(names, name, dtype):
    x = names["interval"](name, most=2**12)
    s, rest = dtype(0.3), dtype(1 - 0.3)

    np.testing.assert_array_equal(names["result"]("one-liner", "eager", x, 0.3), x * s + x * rest)


def test_compiled_one_product_and_the_sum_are_rounded_once(names):
    x = names["interval"]("float32", most=2**10)
    s, rest = np.float32(0.1), np.float32(0.9)

    def fused(x, exact, rounded):
        return np.float32(
            float(Fraction(float(x)) * Fraction(float(exact)) + Fraction(float(rounded)))
        )

    candidates = [
        [fused(each, s, each * rest) for each in x],
        [fused(each, rest, each * s) for each in x],
    ]
    y = names["result"]("one-liner", "compiled", x, 0.1)

    assert any(np.array_equal(y, candidate) for candidate in candidates)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_shares_hold_for_every_power_of_two(names, dtype):
    x = names["interval"](dtype)
    share = names["share"]("one-liner", "eager", x, 0.3)

    for power in (-8, 8):
        assert names["share"]("one-liner", "eager", x * x.dtype.type(2.0**power), 0.3) == share


@pytest.mark.parametrize("s", [-1, -0.1, 0, 1, 1.5, 2])
def test_outside_of_zero_to_one_infinity_becomes_nan(names, s):
    x = np.array([np.inf, -np.inf], np.float32)

    assert np.isnan(names["result"]("one-liner", "eager", x, s)).all()


@pytest.mark.parametrize("s", [0.1, 0.5, 0.9])
def test_between_them_it_survives(names, s):
    x = np.array([np.inf, -np.inf], np.float32)

    np.testing.assert_array_equal(names["result"]("one-liner", "eager", x, s), x)


@pytest.mark.parametrize("name", REWRITINGS)
def test_whatever_computes_flushes_subnormal_numbers(names, name):
    x = np.array([np.finfo(np.float32).smallest_subnormal])

    assert names["result"](name, "eager", x, 0.3) == 0


def test_all_have_the_same_gradient(names):
    for variant in names["VARIANTS"].values():
        x = tf.constant([1.5, -2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = variant(x, 0.25) ** 2
        np.testing.assert_allclose(tape.gradient(y, x), [0.75, -1.0], rtol=1e-6)


def test_there_are_as_many_numbers_from_one_to_two_as_the_page_says(names):
    assert len(names["interval"]("float16")) == 1024
    assert len(names["interval"]("bfloat16")) == 128
    for dtype, mantissa in names["MANTISSA"].items():
        known = ml_dtypes.finfo(tf.as_dtype(dtype).as_numpy_dtype)
        assert mantissa == known.nmant
