"""What the page says about the EM algorithm: each such sentence is a test."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from scipy import integrate, stats
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture

from gradvalve_site import snippets

SNIPPETS = Path(__file__).parents[2] / "docs/snippets/em"
DISTANCES = (1, 2, 3, 4, 6, 8)


@pytest.fixture(scope="module")
def names(notebook):
    """The definitions of the notebook, without what it draws and trains."""
    defined = {}
    for cell in ("setup", "mixture", "objective", "closed_form", "elbo"):
        exec(notebook.cells[cell].code, defined)
    for cell in ("magnitudes", "fisher"):
        definitions, _, _ = notebook.cells[cell].code.partition("\n\n\nx = ")
        exec(definitions.partition("\n\n\nDISTANCES")[0], defined)
    return defined


@pytest.fixture
def theta():
    """Three components anywhere."""
    return {
        "mean": tf.constant([-2.0, 0.5, 1.0], tf.float64),
        "log_std": tf.constant([0.2, -0.5, 0.1], tf.float64),
        "logits": tf.constant([0.3, 0.0, -1.0], tf.float64),
    }


@pytest.fixture
def x():
    return tf.constant(np.random.default_rng(1).normal(0, 2, 50))


def array(text):
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", text)]


def own_mixture(theta):
    """The weights and the densities of the components, without TensorFlow."""
    weights = np.exp(theta["logits"]) / np.sum(np.exp(theta["logits"]))
    return weights, stats.norm(theta["mean"], np.exp(theta["log_std"]))


def test_the_mixture_is_that_of_scipy(names, theta, x):
    weights, normal = own_mixture(theta)
    density = normal.pdf(x.numpy()[:, None]) @ weights

    assert np.mean(np.log(density)) == pytest.approx(float(names["log_likelihood"](x, theta)))


def test_the_number_by_hand_changes_its_sign_without_the_stop(printed):
    likelihood = math.tanh(1) - 1

    assert float(printed["likelihood, a = x = 1"]) == pytest.approx(likelihood, abs=5e-5)
    assert printed["with stop, a = x = 1"] == printed["likelihood, a = x = 1"]
    without = likelihood + 1 / math.cosh(1) ** 2
    assert float(printed["without stop, a = x = 1"]) == pytest.approx(without, abs=5e-5)
    assert likelihood == pytest.approx(-0.2384, abs=5e-5)  # as the page has it
    assert 1 / math.cosh(1) ** 2 == pytest.approx(0.42, abs=5e-5)


@pytest.mark.parametrize(("a", "x"), [(1.0, 1.0), (0.5, 2.0), (1.5, -0.7)])
def test_the_formulas_by_hand_hold_elsewhere_too(names, a, x):
    variable, likelihood = tf.Variable(a, dtype=tf.float64), x * math.tanh(a * x) - a
    through = a * x**2 / math.cosh(a * x) ** 2

    for objective, expected in [
        (names["log_likelihood"], likelihood),
        (names["q"], likelihood),
        (names["q_without_stop"], likelihood + through),
    ]:
        with tf.GradientTape() as tape:
            parameters = names["parameters"]([-variable, variable], std=1)
            value = objective(np.array([x]), parameters)
        assert float(tape.gradient(value, variable)) == pytest.approx(expected)


def test_the_closed_form_maximises_q_for_fixed_responsibilities(names, theta, x):
    responsibilities = tf.nn.softmax(names["log_joint"](x, theta))
    found = names["em_step"](x, theta)

    def fixed(x, theta):
        return tf.reduce_mean(
            tf.reduce_sum(responsibilities * names["log_joint"](x, theta), -1), -1
        )

    for slope in names["gradient"](fixed, x, found).values():
        assert np.max(np.abs(slope)) < 1e-14  # sums of 50 terms of size 1, over 50
    for name in found:
        for step in (-0.01, 0.01):
            moved = found | {name: found[name] + step * np.array([1.0, 0, 0])}
            assert fixed(x, moved) < fixed(x, found)


def test_each_iteration_of_em_raises_the_likelihood(names, theta, x):
    values = []
    for _ in range(20):
        values.append(float(names["log_likelihood"](x, theta)))
        theta = names["em_step"](x, theta)

    assert values == sorted(values)


def test_towards_the_maximum_the_gradient_vanishes_only_with_the_stop(printed, lines):
    drawn = lines("magnitudes")

    assert drawn["with stop"][50] < 0.01 * drawn["with stop"][0]
    assert all(without > 0.2 for without in drawn["without stop"].values())
    assert all(drawn["with stop"][i] < drawn["without stop"][i] for i in range(1, 51))
    late = [drawn["with stop"][i] for i in range(10, 51)]
    assert late == sorted(late, reverse=True)
    for name, line in drawn.items():
        assert float(printed[f"{name}, iteration 50"]) == pytest.approx(line[50], rel=0.05)


def test_fishers_identity_holds_to_rounding(printed):
    assert float(printed["with stop, largest"]) < 1e-15
    assert float(printed["without stop, largest"]) > 1
    assert float(printed["without stop, smallest"]) > 1e-5  # nowhere is it rounding alone


def test_without_the_stop_the_value_is_the_likelihood_minus_the_entropy(names, theta, x):
    expected = names["log_likelihood"](x, theta) - names["entropy"](x, theta)

    assert float(names["q_without_stop"](x, theta)) == pytest.approx(float(expected))
    assert float(names["q"](x, theta)) == pytest.approx(float(expected))


def test_the_value_of_the_elbo_is_the_likelihood(names, theta, x):
    elbo = names["VARIANTS"]["ELBO"](x, theta)

    assert float(elbo) == pytest.approx(float(names["log_likelihood"](x, theta)))


@pytest.mark.parametrize(
    ("variant", "own", "likelihood"),
    [
        ("ELBO", True, True),
        ("ELBO stopped", True, True),
        ("Q stopped", False, True),
        ("Q", True, False),
        ("ELBO stopped in Q", False, False),
        ("ELBO stopped in H", False, False),
    ],
)
def test_the_table_agrees_where_the_page_says_so(printed, variant, own, likelihood):
    for of, agrees in [("own value", own), ("likelihood", likelihood)]:
        difference = float(printed[f"{variant}, {of}"])
        assert difference < 1e-6 if agrees else difference > 0.5


@pytest.mark.parametrize(("variant", "sign"), [("ELBO stopped in Q", 1), ("ELBO stopped in H", -1)])
def test_half_a_stop_is_off_by_the_gradient_of_the_entropy(names, theta, x, variant, sign):
    half = names["gradient"](names["VARIANTS"][variant], x, theta)
    right = names["gradient"](names["log_likelihood"], x, theta)
    entropy = names["gradient"](lambda x, w: names["entropy"](x, w, tf.identity), x, theta)

    for name in theta:
        np.testing.assert_allclose(half[name] - right[name], sign * entropy[name], atol=1e-14)


def test_through_the_responsibilities_of_the_elbo_only_rounding_flows(printed):
    assert float(printed["ELBO, exact E-step"]) < 1e-15
    assert float(printed["Q, exact E-step"]) > 0.1
    assert float(printed["ELBO, other E-step"]) > 0.1


def test_the_derivative_by_the_responsibilities_is_the_same_for_each_component(names, theta, x):
    joint = names["log_joint"](x, theta)
    r = tf.nn.softmax(joint)
    with tf.GradientTape() as tape:
        tape.watch(r)
        value = tf.reduce_sum(r * (joint - tf.math.log(r)))

    slope = tape.gradient(value, r)
    expected = tf.reduce_logsumexp(joint, -1, keepdims=True) - 1
    np.testing.assert_allclose(slope, np.broadcast_to(expected, slope.shape), rtol=1e-12)


def test_without_the_stop_components_are_too_narrow_and_more_so_with_more_overlap(printed):
    stds = {
        name: [float(printed[f"{name}, std at {d}"]) for d in DISTANCES]
        for name in ("with stop", "without stop")
    }

    assert stds["without stop"] == sorted(stds["without stop"])
    assert all(0.85 < std < 1 for std in stds["with stop"])
    for d, with_stop, without in zip(DISTANCES, *stds.values(), strict=True):
        assert without < with_stop if d < 8 else without == with_stop


def test_with_the_stop_the_narrower_is_below_one_as_the_smaller_of_two_estimates(printed):
    points = np.random.default_rng(0).normal(size=[2000, 2, 100])
    expected = np.median(np.min(np.std(points, -1), -1))

    # The median of 20 draws; the smaller of two stds of 100 points varies by 0.06.
    assert float(printed["with stop, std at 8"]) == pytest.approx(expected, abs=0.03)


def test_the_slider_shows_training_from_the_true_value(notebook, printed):
    (slider,) = notebook.cells["paths"].figure["layout"]["sliders"]

    assert [step["label"] for step in slider["steps"]] == [str(d) for d in reversed(DISTANCES)]
    for step in slider["steps"]:
        (data,) = step["args"]
        for steps, path, name in zip(
            data["x"], data["y"], ("with stop", "without stop"), strict=True
        ):
            assert (steps[0], path[0], steps[-1]) == (0, 1, 1000)
            shown = float(printed[f"{name}, std at {step['label']}"])
            assert path[-1] == pytest.approx(shown, abs=5e-4)


@pytest.fixture(scope="module")
def given_up(lines):
    """Percent of the runs: {name: [at each distance]}."""
    return {name: list(bars.values()) for name, bars in lines("given_up").items()}


def test_with_the_stop_one_run_of_all_gives_up_a_component(given_up):
    assert given_up["with stop, true start"] == [0, 0, 0, 0, 0, 0]
    assert given_up["with stop, random start"] == [5, 0, 0, 0, 0, 0]  # 5 percent: one of 20


def test_without_it_most_runs_do_where_components_overlap_strongly(given_up):
    for start in ("true start", "random start"):
        assert given_up[f"without stop, {start}"][0] > 50


def test_without_it_a_random_start_gives_up_at_every_distance_and_the_true_one_at_two(given_up):
    assert all(share > 0 for share in given_up["without stop, random start"])
    at_one, at_two, *others = given_up["without stop, true start"]
    assert at_one > at_two > 0
    assert set(others) == {0}


def test_more_points_do_not_help(printed, given_up):
    few = given_up["without stop, true start"]

    for d, share in zip((1, 2), few[:2], strict=True):
        assert float(printed[f"2000 points, without stop, distance {d}"]) > share


def test_the_price_of_two_components_falls_below_that_of_one_between_three_and_four(lines, printed):
    cost, lost = lines("price").values()

    assert [d for d in DISTANCES if cost[d] > lost[d]] == [1, 2, 3]
    assert float(printed["lost with one component, at 1"]) < 0.01
    assert float(printed["entropy with two components, at 1"]) > 0.5


@pytest.mark.parametrize("d", [1, 3, 6])
def test_the_entropy_agrees_with_its_integral(lines, d):
    def terms(x):
        first, second = stats.norm.pdf(x, -d / 2) / 2, stats.norm.pdf(x, d / 2) / 2
        r = first / (first + second)
        return (first + second) * stats.entropy([r, 1 - r])

    expected, _ = integrate.quad(terms, -d / 2 - 8, d / 2 + 8)
    # 4000 points; the entropy of a point varies by less than 0.25, so its mean by 0.004.
    assert lines("price")["entropy with two components"][d] == pytest.approx(expected, abs=0.012)


def test_on_iris_ascent_with_the_stop_stays_at_the_maximum_of_scikit_learn(printed):
    fit = GaussianMixture(
        3,
        reg_covar=0,
        tol=1e-15,
        max_iter=20_000,
        weights_init=[1 / 3] * 3,
        means_init=[[1.5], [4], [5.5]],
        precisions_init=[[[4]]] * 3,
    ).fit(load_iris().data[:, 2:3])

    expected = {
        "means": fit.means_.ravel(),
        "stds": fit.covariances_.ravel() ** 0.5,
        "weights": fit.weights_,
    }
    for name, values in expected.items():
        # Three digits are printed.
        assert array(printed[f"with stop, {name}"]) == pytest.approx(values, abs=1e-3)


def test_on_iris_the_third_component_keeps_few_flowers_without_the_stop(printed):
    assert float(printed["with stop, third weight in percent"]) > 15
    assert float(printed["without stop, third weight in percent"]) < 5
    assert array(printed["without stop, stds"])[2] < array(printed["with stop, stds"])[2] / 4


def test_on_iris_setosa_comes_out_the_same(printed):
    for name in ("means", "stds", "weights"):
        with_stop, without = (array(printed[f"{w} stop, {name}"])[0] for w in ("with", "without"))
        assert with_stop == pytest.approx(without, abs=1e-3)


def test_the_densities_differ_near_the_third_mean_and_agree_for_setosa(printed, lines):
    densities = lines("densities")
    gap = {
        length: abs(y - densities["without stop"][length])
        for length, y in densities["with stop"].items()
    }

    assert max(gap[length] for length in gap if length < 2.5) < 0.005
    third = float(printed["without stop, third mean"])
    assert max(gap, key=gap.get) == pytest.approx(third, abs=0.1)


def test_jax_and_torch_give_the_same_numbers(printed):
    jax, torch = (snippets.values(SNIPPETS / f"with_{name}.txt") for name in ("jax", "torch"))

    right = printed["with stop, a = x = 1"]
    assert {jax["stop_gradient"], jax["an argument"], torch["detach"], torch["no_grad"]} == {right}
    assert {jax["no stop"], torch["no stop"]} == {printed["without stop, a = x = 1"]}


def test_an_e_step_before_the_tape_needs_no_stop(names, theta, x):
    responsibilities = tf.nn.softmax(names["log_joint"](x, theta))
    with tf.GradientTape() as tape:
        tape.watch(theta)
        value = tf.reduce_mean(tf.reduce_sum(responsibilities * names["log_joint"](x, theta), -1))

    slopes, expected = tape.gradient(value, theta), names["gradient"](names["q"], x, theta)
    for name in theta:
        np.testing.assert_allclose(slopes[name], expected[name], rtol=1e-12)


def test_a_hard_assignment_has_no_gradient(theta, x, names):
    with tf.GradientTape() as tape:
        tape.watch(theta)
        joint = names["log_joint"](x, theta)
        hard = tf.one_hot(tf.argmax(joint, -1), 3, dtype=joint.dtype)

    assert set(tape.gradient(hard, theta).values()) == {None}
