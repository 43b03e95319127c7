"""What the page says about contrastive divergence: each such sentence is a test."""

import base64
import io
import itertools
import math

import jax
import numpy as np
import pytest
import tensorflow as tf
import torch
from PIL import Image
from sklearn.neural_network import BernoulliRBM

number = float
DEFINITIONS = ("setup", "machine", "chain", "loss", "train", "look")
LAST = 500  # updates


def states(size):
    return np.array(list(itertools.product([0.0, 1.0], repeat=size)))


@pytest.fixture(scope="module")
def define(notebook):
    """A function that runs the definitions, with replacements, as a reader might change them."""

    def run(*replacements):
        code = "\n".join(notebook.cells[cell].code for cell in DEFINITIONS)
        for old, new in replacements:
            assert old in code
            code = code.replace(old, new)
        for cell, end in [("analytic", "some ="), ("layers", "bars ="), ("exact", "@")]:
            code += "\n" + notebook.cells[cell].code.partition(f"\n{end}")[0]
        exec(code, defined := {})
        return defined

    return run


@pytest.fixture(scope="module")
def names(define):
    return define()


@pytest.fixture(scope="module")
def some(names):
    return tf.cast(names["every"][:, 100:160], tf.float64)


# The machine


def test_the_free_energy_is_the_energy_summed_over_the_hidden_states(names):
    random = np.random.default_rng(0)
    weights, visible, hidden = (
        random.normal(size=(4, 3)),
        random.normal(size=4),
        random.normal(size=3),
    )
    v, h = states(4), states(3)
    energy = -(v @ visible)[:, None] - h @ hidden - v @ weights @ h.T

    free = names["free_energy"](v, (weights, visible, hidden))

    # float64 sums of some ten terms of size 1
    np.testing.assert_allclose(free, -np.log(np.exp(-energy).sum(1)), rtol=1e-13)


def test_the_hidden_means_are_those_of_scikit_learn(names):
    w = [each[0].numpy() for each in names["machines"](16, dtype="float64")]
    theirs = BernoulliRBM(16)
    theirs.components_, theirs.intercept_hidden_ = w[0].T, w[2][0]
    v = names["digits"][:50].astype("float64")

    np.testing.assert_allclose(names["hidden_mean"](v, w), theirs.transform(v), rtol=1e-12)


def test_the_log_likelihood_agrees_with_a_sum_over_visible_states(names):
    w = [each.numpy().astype("float64") for each in names["machines"](5, spread=1.0)]
    w[0][:, 10:] = 0  # then the visible units beyond ten are independent of all others
    single = [tf.constant(each, tf.float32) for each in w]
    expected = []
    for weights, visible, hidden in zip(*w, strict=True):
        free = -states(10) @ visible[0, :10] - np.logaddexp(
            0, states(10) @ weights[:10] + hidden
        ).sum(1)
        log_z = np.logaddexp.reduce(-free) + np.logaddexp(0, visible[0, 10:]).sum()
        v = names["digits"].astype("float64")
        data = v @ visible[0] + np.logaddexp(0, v @ weights + hidden).sum(1)
        expected.append(data.mean() - log_z)

    # float32 sums of 64 terms, averaged over 1797 digits
    np.testing.assert_allclose(names["log_likelihood"](single), expected, rtol=1e-4)


def test_twelve_units_have_4096_states():
    assert len(states(12)) == 4096


# The gradient


def test_by_hand_the_sign_becomes_wrong_without_the_stop(printed):
    stopped = -1 / 2 + 3 / 4 * 1 / 2
    leak = math.log(3) * 3 / 4 * 1 / 4

    assert leak == pytest.approx(0.206, abs=5e-4)
    assert number(printed["with stop"]) == stopped == -1 / 8
    assert number(printed["without stop"]) == pytest.approx(stopped + leak, abs=5e-4)
    assert stopped < 0 < stopped + leak


def test_a_stop_on_the_free_energy_leaves_the_part_of_the_data_alone(names):
    tiny = [tf.constant([[x]], tf.float64) for x in (0.0, math.log(3), 0.0)]

    def halted(v, samples, w):
        free_energy = names["free_energy"]
        return free_energy(v, w) - tf.stop_gradient(free_energy(samples, w))

    one = tf.ones((1, 1), tf.float64)
    assert names["gradient"](halted, one, tiny, hidden=tf.ones_like)[0].numpy().item() == -1 / 2


def test_with_the_stop_the_gradient_is_the_published_update(printed):
    # Entries are means of numbers in [0, 1], in float64: a few units in the last place.
    assert number(printed["largest difference"]) < 5e-15


def reference(v, samples, w):
    """The update of each machine in NumPy, its sign turned."""
    (weights, _, hidden), v, samples = [x.numpy() for x in w], v.numpy(), samples.numpy()
    h, g = (1 / (1 + np.exp(-(x @ weights + hidden))) for x in (v, samples))
    pairs = np.einsum("mni,mnj->mij", samples, g) - np.einsum("mni,mnj->mij", v, h)
    return [pairs / v.shape[1], (samples - v).mean(1), (g - h).mean(1)]


@pytest.mark.parametrize("spread", [0.01, 0.1, 1.0])
def test_so_it_is_in_numpy_and_with_a_persistent_chain(names, some, spread):
    w = names["machines"](8, spread, "float64")
    particles = names["draw"](tf.fill(some.shape, tf.constant(0.5, tf.float64)))
    with tf.GradientTape() as tape:
        tape.watch(w)
        samples = names["chain"](particles, w, 1)
        loss = names["loss"](some, samples, w)

    found = names["flat"](tape.gradient(loss, w))
    # As above.
    np.testing.assert_allclose(found, names["flat"](reference(some, samples, w)), atol=5e-15)


def test_finite_differences_of_the_loss_agree_with_the_gradient_without_the_stop(names, some):
    layers = {"hidden": names["probabilities"]}  # all smooth
    w = names["machines"](4, dtype="float64")
    direction = np.random.default_rng(0).normal(size=w[0].shape)

    def value(step):
        moved = [w[0] + step * direction, *w[1:]]
        return names["loss"](some, names["chain"](some, moved, 1, **layers), moved).numpy()

    slope = (value(1e-5) - value(-1e-5)) / 2e-5
    for loss, agrees in [("unstopped_loss", True), ("loss", False)]:
        found = names["gradient"](names[loss], some, w, **layers)[0]
        found = np.sum(found * direction, (1, 2))
        # Central differences: step² and rounding divided by the step, about 1e-9.
        assert np.allclose(found, slope, rtol=1e-6) == agrees


# Training


def test_at_the_same_weights_the_gradient_without_the_stop_is_at_least_twice_as_large(lines):
    drawn = lines("gradients")

    for updates, norm in drawn["with stop"].items():
        assert drawn["same weights, without stop"][updates] > 2 * norm


def test_trained_without_the_stop_the_gradient_shrinks(lines):
    drawn = lines("gradients")
    shrinking = list(drawn["trained without stop"].values())

    assert shrinking[-1] < shrinking[0] / 10
    assert shrinking[-1] < drawn["with stop"][LAST] / 2


def test_without_the_stop_the_log_likelihood_falls_and_otherwise_it_rises(printed, lines):
    drawn = lines("likelihood")
    wrong = drawn.pop("CD-1 without stop")

    assert all(y < wrong[0] for x, y in wrong.items() if x)
    assert wrong[LAST] == pytest.approx(number(printed["CD-1 without stop, likelihood"]), rel=1e-3)
    assert wrong[0] == pytest.approx(number(printed["start"]), abs=0.006)
    assert list(drawn) == ["CD-1", "CD-5", "persistent"]
    for line in drawn.values():
        assert list(line.values()) == sorted(line.values())
        assert line[LAST] > wrong[0] + 3
    assert drawn["CD-1"][LAST] == pytest.approx(number(printed["CD-1, likelihood"]), rel=1e-3)


def test_the_worse_model_has_the_lower_loss(printed):
    wrong, right = (number(printed[f"{name}, loss"]) for name in ("CD-1 without stop", "CD-1"))

    assert wrong < right - 3


def test_what_leaks_moves_the_samples_to_where_the_free_energy_is_high(names, some):
    w = names["machines"](12, dtype="float64")
    right, wrong = (names["gradient"](names[loss], some, w) for loss in ("loss", "unstopped_loss"))
    moved = [each - 0.01 * (y - x) for each, x, y in zip(w, right, wrong, strict=True)]

    def height(moved):
        tf.random.set_seed(0)
        samples = names["chain"](some, moved, 1)
        return tf.reduce_mean(names["free_energy"](samples, w), -1).numpy()

    assert (height(moved) > height(w)).all()


CHANGES = {
    "a fifth of the learning rate": [("0.1 * slope", "0.02 * slope")],
    "five times the learning rate": [("0.1 * slope", "0.5 * slope")],
    "gray digits": [
        (
            '(load_digits().data >= 8).astype("float32")',
            '(load_digits().data / 16).astype("float32")',
        )
    ],
    "other seeds": [("default_rng(size)", "default_rng(99)"), ("set_seed(1)", "set_seed(7)")],
    "five steps": [
        ("steps=1, visible=probabilities, persistent", "steps=5, visible=probabilities, persistent")
    ],
    "a persistent chain": [("persistent=False", "persistent=True")],
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_same_happens_with(define, change):
    names = define(*CHANGES[change])

    right, wrong = (names["train"](names[loss], 12)[1] for loss in ("loss", "unstopped_loss"))
    assert right[LAST]["likelihood"] > right[0]["likelihood"] + 1
    assert wrong[LAST]["likelihood"] < wrong[0]["likelihood"] - 1
    assert wrong[LAST]["loss"] < right[LAST]["loss"] - 1


def test_drawn_visible_units_train_alike_with_and_without_the_stop(define):
    names = define(("range(1, 501)", "range(1, 101)"))
    for size in (4, 12):
        runs = [
            names["train"](names[loss], size, visible=names["draw"])[0]
            for loss in ("loss", "unstopped_loss")
        ]
        for one, other in zip(*runs, strict=True):
            np.testing.assert_array_equal(one, other)


def test_samples_resemble_digits_only_after_training_with_the_stop(printed):
    right, wrong = (
        number(printed[f"{name} stop, pixels to the nearest digit"]) for name in ("with", "without")
    )

    assert right < 8 < 12 < wrong


def test_the_reconstruction_error_rises_with_12_units_and_falls_with_64(printed):
    start = number(printed["start, error"])

    assert number(printed["CD-1 without stop, error"]) > start + 0.01
    assert number(printed["without stop, 64 units, error"]) < start
    assert number(printed["with stop, 64 units, error"]) < start / 2
    assert number(printed["CD-1, error"]) < start


# Pictures


def tiles(notebook, cell):
    """The tiles of a picture: rows × columns × 8 × 8 × RGBA."""
    picture = Image.open(io.BytesIO(base64.b64decode(notebook.cells[cell].picture)))
    pixels = np.asarray(picture.convert("RGBA"))[4::8, 4::8]
    rows, columns = (length // 9 + 1 for length in pixels.shape[:2])
    pixels = np.pad(pixels, [(0, 1), (0, 1), (0, 0)]).reshape(rows, 9, columns, 9, 4)
    return pixels.swapaxes(1, 2)[:, :, :8, :8].astype(int)


def test_the_upper_rows_of_the_samples_are_digits_and_the_lower_are_not(notebook, names):
    shown = tiles(notebook, "samples")
    assert shown.shape[:2] == (6, 8)
    dark = (shown[..., 0] < 128).reshape(6, 8, 64)

    np.testing.assert_array_equal(dark[:2].reshape(16, 64), names["digits"][:16] == 1)
    pixels = np.abs(dark[:, :, None] ^ (names["digits"] == 1)).sum(-1).min(-1).mean(1)
    assert pixels[2:4].max() < 8 < 12 < pixels[4:].min()


def test_units_are_alike_without_the_stop_and_differ_with_it(notebook):
    shown = tiles(notebook, "fields")
    assert shown.shape[:2] == (4, 8)
    signed = (shown[..., 0] - shown[..., 2]).reshape(2, 16, 64).astype(float)  # orange less blue

    medians = []
    for fields in signed:
        alike = np.corrcoef(fields)
        medians.append(np.median(alike[np.triu_indices(16, 1)]))
    assert medians[0] < 0.15
    assert medians[1] > 0.3


@pytest.mark.parametrize("cell", ["samples", "fields"])
def test_tiles_are_opaque_and_gaps_let_the_page_through(notebook, cell):
    assert (tiles(notebook, cell)[..., 3] == 255).all()
    picture = Image.open(io.BytesIO(base64.b64decode(notebook.cells[cell].picture)))
    assert picture.convert("RGBA").getpixel((8 * 8 + 4, 4))[3] == 0


# Layers


def test_binary_samples_leave_no_difference(lines):
    for bar in lines("layers").values():
        assert bar["both binary"] == 0


def test_for_the_free_energy_only_the_last_visible_layer_counts(lines):
    bar = lines("layers")["free energy"]

    assert bar["hidden probabilities"] == 0
    assert bar["visible probabilities"] > 0.1
    assert bar["both probabilities"] > 0.1


def test_for_the_energy_any_layer_of_probabilities_leaks(lines):
    bar = lines("layers")["energy"]

    assert all(leak > 0.1 for layers, leak in bar.items() if layers != "both binary")


def test_to_stop_only_the_samples_is_wrong_where_hidden_units_are_probabilities(lines):
    bar = lines("layers")["energy, only samples stopped"]

    assert bar["visible probabilities"] == 0
    assert bar["hidden probabilities"] > 0.1
    assert bar["both probabilities"] > 0.1


def test_hidden_units_of_the_data_leak_too(names, some):
    w = names["machines"](16, dtype="float64")
    samples = tf.constant(names["chain"](some, w, 1))  # plain numbers
    slopes = []
    for stop in (tf.identity, tf.stop_gradient):
        with tf.GradientTape() as tape:
            tape.watch(w)
            h = stop(names["hidden_mean"](some, w))
            energy = tf.reduce_sum((some @ w[0] + w[2]) * h, -1)
            loss = -tf.reduce_mean(energy, -1) - tf.reduce_mean(
                names["free_energy"](samples, w), -1
            )
        slopes.append(tape.gradient(loss, w[0]))

    assert not np.allclose(*slopes, rtol=0.01)


def test_with_stopped_probabilities_the_energy_has_the_gradient_of_the_free_energy(names, some):
    w = names["machines"](16, dtype="float64")
    energy_loss = names["energy_loss"](names["probabilities"], tf.stop_gradient, tf.stop_gradient)

    found, known = (
        names["flat"](names["gradient"](loss, some, w)) for loss in (energy_loss, names["loss"])
    )
    # As for the published update.
    np.testing.assert_allclose(found, known, atol=5e-15)


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("hidden", ["draw", "probabilities"])
@pytest.mark.parametrize("size", [4, 64])
def test_drawn_visible_units_never_leak(names, some, steps, hidden, size):
    for spread in (0.1, 1.0):
        w = names["machines"](size, spread, "float64")
        one, other = (
            names["gradient"](names[loss], some, w, steps, names[hidden], names["draw"])
            for loss in ("loss", "unstopped_loss")
        )
        np.testing.assert_array_equal(names["flat"](one), names["flat"](other))


def test_the_size_of_the_leak_depends_on_the_machine(lines):
    leaks = [y for line in lines("sizes").values() for y in line.values()]

    assert len(leaks) == 16
    assert min(leaks) < 0.1
    assert max(leaks) > 1.5


def test_gaussian_units_pass_on_the_whole_gradient():
    mean = tf.constant([0.3, -1.0])
    with tf.GradientTape() as tape:
        tape.watch(mean)
        drawn = mean + tf.random.normal([2])
        total = tf.reduce_sum(drawn)

    np.testing.assert_array_equal(tape.gradient(total, mean), [1, 1])


# Exact


def machine(theta):
    return theta[:6].reshape(3, 2), theta[6:9], theta[9:]


def joint(theta):
    """The energies of all pairs of states, by the definition."""
    weights, visible, hidden = machine(theta)
    v, h = states(3), states(2)
    return -(v @ visible)[:, None] - h @ hidden - v @ weights @ h.T


def step(theta, data):
    """One step of the chain, by conditioning the joint distribution."""
    p = np.exp(-joint(theta))
    hidden = data @ (p / p.sum(1, keepdims=True))
    return (p / p.sum(0)) @ hidden


def free(theta):
    return -np.log(np.exp(-joint(theta)).sum(1))


def slopes(function, theta):
    """Central differences, along the first axis."""
    rows = np.eye(len(theta)) * 1e-4
    return np.stack([(function(theta + row) - function(theta - row)) / 2e-4 for row in rows])


def example(seed):
    """As the notebook draws it."""
    random = np.random.default_rng(seed)
    return random.normal(size=11), random.dirichlet(np.ones(8))


def by_differences(seed):
    theta, data = example(seed)

    def update(theta):
        return slopes(free, theta) @ (data - step(theta, data))

    jacobian = slopes(update, theta)
    asymmetry = np.linalg.norm(jacobian - jacobian.T) / np.linalg.norm(jacobian)

    def objective(theta):  # KL(data ‖ model) − KL(one step ‖ model), in which log Z cancels
        p = step(theta, data)
        return data @ free(theta) - p @ free(theta) - p @ np.log(p)

    third = slopes(objective, theta) - update(theta)
    fixed = free(theta)
    leak = slopes(lambda theta: -step(theta, data) @ fixed, theta)
    size = np.linalg.norm(update(theta))
    return asymmetry, np.linalg.norm(leak) / size, np.linalg.norm(third) / size


def test_asymmetry_leak_and_third_term_agree_with_finite_differences(printed):
    asymmetry, leak, third = np.median([by_differences(seed) for seed in range(20)], 0)

    # Half of the last place that is printed.
    assert number(printed["asymmetry, CD-1"]) == pytest.approx(asymmetry, abs=0.0051)
    assert number(printed["leak, in percent"]) == pytest.approx(100 * leak, abs=0.51)
    assert number(printed["left out, in percent"]) == pytest.approx(100 * third, abs=0.51)


def test_the_expected_loss_depends_on_the_weights_through_the_samples():
    for seed in range(20):
        _, leak, _ = by_differences(seed)
        assert leak > 0.01


def test_the_gradient_of_the_log_likelihood_is_symmetric(printed):
    assert number(printed["asymmetry, likelihood"]) < 1e-14  # float64, some hundred operations


def test_more_steps_make_the_update_more_symmetric(lines):
    (line,) = lines("asymmetry").values()
    by_steps = list(line.values())

    assert by_steps == sorted(by_steps, reverse=True)
    assert by_steps[0] > 0.1
    assert by_steps[-1] < 1e-4


def test_more_steps_bring_the_update_closer_to_the_likelihood():
    for seed in range(20):
        theta, data = example(seed)
        model = np.exp(-free(theta)) / np.exp(-free(theta)).sum()
        known = slopes(free, theta) @ (data - model)
        p, off = data, []
        for _ in range(8):
            p = step(theta, p)
            off.append(np.linalg.norm(slopes(free, theta) @ (data - p) - known))
        assert off[7] < off[0] / 2


# Other frameworks


def free_in(softplus, v, w, b, c):
    return -(v * b).sum() - softplus(v @ w + c).sum()


@pytest.mark.parametrize(("binary", "leaks"), [(True, False), (False, True)])
def test_jax_and_torch_leak_as_tensorflow_does(binary, leaks):
    random = np.random.default_rng(0)
    w, b, c = (random.normal(size=s).astype("float32") for s in [(4, 3), 4, 3])
    v, u, h = random.integers(2, size=4), random.random(4), random.integers(2, size=3)
    v, u, h = (x.astype("float32") for x in (v, u, h))

    def jax_loss(w, stop):
        p = jax.nn.sigmoid(w @ h + b)
        samples = stop((u < p).astype(p.dtype) if binary else p)
        return free_in(jax.nn.softplus, v, w, b, c) - free_in(jax.nn.softplus, samples, w, b, c)

    def torch_slope(stop):
        weights, *rest = (torch.tensor(x) for x in (w, b, c, v, u, h))
        weights.requires_grad_()
        b_, c_, v_, u_, h_ = rest
        p = torch.sigmoid(weights @ h_ + b_)
        samples = stop((u_ < p).to(p.dtype) if binary else p)
        softplus = torch.nn.functional.softplus
        loss = free_in(softplus, v_, weights, b_, c_) - free_in(softplus, samples, weights, b_, c_)
        loss.backward()
        return weights.grad.numpy()

    stopped = jax.grad(jax_loss)(w, jax.lax.stop_gradient)
    unstopped = jax.grad(jax_loss)(w, lambda x: x)
    assert np.allclose(stopped, unstopped, atol=1e-6) != leaks
    # float32, some ten operations
    np.testing.assert_allclose(torch_slope(lambda x: x.detach()), stopped, atol=1e-6)
    np.testing.assert_allclose(torch_slope(lambda x: x), unstopped, atol=1e-6)


def test_torch_bernoulli_gives_zeros():
    p = torch.tensor([0.2, 0.7], requires_grad=True)
    (torch.bernoulli(p) * torch.tensor([3.0, 4.0])).sum().backward()

    assert p.grad.tolist() == [0, 0]
