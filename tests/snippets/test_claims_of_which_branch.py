"""What the page on the branch to stop says in words, beside what its snippets print."""

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from gradvalve.explain import explain_gradient
from gradvalve_site import snippets
from tests.operations.comparing import covers
from tests.snippets.test_page_claims import numbers

SNIPPETS = Path(__file__).parents[2] / "docs" / "snippets"
STOPPED_TARGET = "formula(w, tf.stop_gradient(target(w)))"


def variant(folder, old, new):
    """The snippet at the top of the page with one expression replaced."""
    code = (SNIPPETS / "which_branch/with_tensorflow.py").read_text(encoding="utf-8")
    assert old in code
    path = folder / "with_tensorflow.py"
    path.write_text(code.replace(old, new), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def three_gradients():
    """The function that the page gives to copy; the rest of the snippet is left out."""
    code = (SNIPPETS / "which_branch/with_tensorflow.py").read_text(encoding="utf-8")
    names = {}
    exec(code.partition("def prediction")[0], names)
    return lambda *arguments: [each.item() for each in names["three_gradients"](*arguments)]


def test_the_two_parts_add_up_to_what_finite_differences_find():
    printed = numbers("which_branch/with_tensorflow")
    w = 2
    first, second = 2 * 3 * (3 * w - (1 + w)), -2 * (3 * w - (1 + w)) * 1

    assert (first, second) == (18, -6)
    assert printed["coded"] == printed["constant"] == first
    assert printed["true"] == first + second


@pytest.mark.parametrize(
    "mistake",
    [
        "formula(w, target(w))",
        "(tf.stop_gradient(prediction(w)) - target(w)) ** 2",
        "tf.stop_gradient(target(w)) * 0 + formula(w, target(w))",
    ],
    ids=["removed", "at the prediction", "dropped"],
)
def test_the_test_to_copy_fails_if_the_stop_is_missing_or_in_the_wrong_place(mistake, tmp_path):
    with pytest.raises(RuntimeError, match="AssertionError"):
        snippets.run(variant(tmp_path, STOPPED_TARGET, mistake))


@covers("C36")
def test_each_kind_has_the_gradients_of_the_table():
    printed = numbers("three_kinds/with_tensorflow")
    softmax = np.exp([1, 2]) / np.exp([1, 2]).sum()

    for name in ("coded", "constant", "true"):
        assert printed[f"exact_{name}"] == pytest.approx(softmax, abs=5e-4)
    assert printed["wrong_true"] == pytest.approx(softmax, abs=5e-4)
    assert printed["wrong_coded"] == printed["wrong_constant"]
    assert printed["wrong_coded"] == pytest.approx(softmax + np.array([0, 1]), abs=5e-4)
    assert printed["deliberate_coded"] == printed["deliberate_constant"] == [18]
    assert printed["deliberate_true"] == [12]


def test_both_snippets_contain_the_same_function():
    top, kinds = (
        (SNIPPETS / topic / "with_tensorflow.py").read_text(encoding="utf-8")
        for topic in ("which_branch", "three_kinds")
    )
    function = top.partition("def three_gradients")[2].partition("\n\n\n")[0]

    assert function in kinds


def test_where_target_and_prediction_are_equal_no_mistake_shows(three_gradients):
    w = tf.constant(0.5, tf.float64)  # 3 w = 1 + w

    for loss in (
        lambda w: (3 * w - tf.stop_gradient(1 + w)) ** 2,
        lambda w: (3 * w - (1 + w)) ** 2,
        lambda w: (tf.stop_gradient(3 * w) - (1 + w)) ** 2,
    ):
        found = three_gradients(loss, lambda w, c: (3 * w - c) ** 2, lambda w: 1 + w, w)
        assert found == pytest.approx([0, 0, 0], abs=1e-6)


@pytest.mark.parametrize(("dtype", "seen"), [("float64", True), ("float32", False)])
def test_the_rounding_of_finite_differences_hides_small_parts_in_float32(
    dtype, seen, three_gradients
):
    """The second part is -2 · 5 · 1e-6 at w = 2."""

    def target(w):
        return 1 + 1e-6 * w

    def formula(w, c):
        return (3 * w - c) ** 2

    _, constant, true = three_gradients(
        lambda w: formula(w, tf.stop_gradient(target(w))), formula, target, tf.constant(2.0, dtype)
    )

    assert (true - constant == pytest.approx(-1e-5, rel=0.1)) is seen


def test_for_an_exact_stop_its_removal_changes_no_gradient(three_gradients):
    def log_sum_exp(x, m):
        return m + tf.math.log(tf.exp(x - m) + tf.exp(1 - m))

    def largest(x):
        return tf.maximum(x, 1)

    x = tf.constant(2.0, tf.float64)
    without = three_gradients(lambda x: log_sum_exp(x, largest(x)), log_sum_exp, largest, x)
    assert without == pytest.approx([1 / (1 + np.exp(-1))] * 3)


def test_explain_gradient_tells_branches_apart_only_if_they_share_no_weight():
    w, v, x = tf.Variable(2.0), tf.Variable(3.0), tf.constant(1.0)

    def status(loss):
        return {row.name: row.status for row in explain_gradient(loss, x, wrt=[w, v])}

    separate = status(lambda x: (w * x - tf.stop_gradient(v * x)) ** 2)
    shared = [
        status(lambda x, valve=valve: (w * x - valve(1 + w)) ** 2)
        for valve in (tf.stop_gradient, tf.identity)
    ]

    assert list(separate.values()) == ["reached", "hidden"]
    assert shared[0] == shared[1]
    assert list(shared[0].values()) == ["reached", "unused"]
