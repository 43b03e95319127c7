"""What the page says about the trained MuZero and about the study: each such sentence is a test."""

import json
import re
from pathlib import Path
from statistics import mean, median

import pytest
from scipy import stats

ROOT = Path(__file__).parents[2]
CONTRASTS = {  # the cells by state scale, losses scaled or not, placement
    "state": ((0.5, True, "pseudocode"), (1.0, True, "pseudocode")),
    "loss": ((0.5, True, "pseudocode"), (0.5, False, "pseudocode")),
    "hook": ((0.5, True, "pseudocode"), (0.5, True, "hook")),
}
FRESH = range(10, 20)


@pytest.fixture(scope="module")
def number(printed):
    return lambda key: float(printed[key])


@pytest.fixture(scope="module")
def ends(printed):
    """A function that returns the ends of a printed interval."""
    return lambda key: [float(end) for end in printed[key].split(" to ")]


@pytest.fixture(scope="module")
def lines_of_data():
    text = (ROOT / "docs/data/muzero_ablation.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def returns(lines_of_data):
    """The mean return while learning, by number of steps, cell, decay and seed."""
    found = {}
    for line in lines_of_data:
        if line["kind"] == "run":
            member = line["member"]
            cell = member["state_scale"], member["scale_losses"], member["placement"]
            place = line["board"]["unroll_steps"], cell, member["weight_decay"] > 0, member["seed"]
            found[place] = mean(line["curve"])
    return found


# The network that learns on the page. What it reaches depends on the processor's rounding, so the
# bounds are wide.


def test_it_learns_to_catch_nearly_every_ball(number, lines):
    (line,) = lines("learn").values()

    assert line[10] < 0
    assert line[120] > 0.8
    assert number("caught_in_percent") >= 95


def test_with_no_scaling_the_gradient_grows_towards_the_first_step(number):
    assert number("neither_first") > 3 * number("neither_last")


def test_with_both_it_is_smaller_everywhere(lines):
    paths = lines("path")

    unscaled, both = paths["no scaling"], paths["both, as in the pseudocode"]
    assert all(both[k] < unscaled[k] / 2 for k in range(1, 6))


def test_the_hook_halves_nearly_all_once_more_but_not_the_part_of_the_reward(lines):
    both, hook = (lines("path")[f"both, {how}"] for how in ("as in the pseudocode", "with a hook"))

    assert hook[5] == pytest.approx(both[5] / 2, rel=1e-4)  # no later step has a reward
    for k in range(1, 5):
        assert both[k] / 2 < hook[k] < 0.6 * both[k]


# The study. Its data are committed, so these numbers are the same on every machine.


def test_the_data_hold_what_the_page_says(number, returns):
    assert number("run") == len(returns) == 220
    assert number("model") == 180
    assert number("stability") == 20


@pytest.mark.parametrize("name", CONTRASTS)
def test_contrasts_are_those_of_a_paired_test(number, ends, returns, name):
    pairs = [[returns[20, cell, True, seed] for seed in FRESH] for cell in CONTRASTS[name]]

    expected = stats.ttest_rel(*pairs).confidence_interval(1 - 0.05 / 3)

    assert number(name) == pytest.approx(mean(pairs[0]) - mean(pairs[1]), abs=6e-4)
    assert ends(f"{name}_interval") == pytest.approx(list(expected), abs=6e-4)


@pytest.mark.parametrize("name", CONTRASTS)
def test_no_difference_is_confirmed(ends, name):
    low, high = ends(f"{name}_interval")

    assert low < 0 < high


def test_on_the_first_seeds_one_half_looked_better_and_about_half_of_it_is_left(number, ends):
    low, _ = ends("state_first_seeds_interval")

    assert low > 0
    assert 0.4 < number("state") / number("state_first_seeds") < 0.6


def test_for_the_hook_anything_beyond_is_ruled_out(ends):
    assert max(map(abs, ends("hook_interval"))) < 0.3


def test_the_learning_curves_are_ordered_as_told(lines):
    whole = {name: mean(line.values()) for name, line in lines("curves").items()}

    assert min(whole, key=whole.get) == "only 1/K on the loss"
    assert max(whole, key=whole.get) == "only ½ on the state"


def test_the_intervals_on_the_figure_lie_around_the_differences(notebook):
    (slider,) = notebook.cells["intervals"].figure["layout"]["sliders"]

    assert len(slider["steps"]) == len(CONTRASTS)
    for step in slider["steps"]:
        for difference, low, high in zip(*step["args"][0]["y"], strict=True):
            assert low <= difference <= high


def test_with_five_steps_all_combinations_lie_close_together(printed):
    values = [
        float(value)
        for key, value in printed.items()
        if re.match("K = 5, .*, ", key) and "ahead" not in key
    ]

    assert len(values) == 8
    assert min(values) == float(printed["K = 5, 1/K, s = 1"])
    assert max(values) == float(printed["K = 5, 1, s = 0"])


def test_with_twenty_steps_an_unscaled_state_is_worst_and_scaled_losses_are_slower(number):
    states = ("s = 0", "s = ½", "s = 1", "s = ½, hook")
    rows = {loss: [number(f"K = 20, {loss}, {state}") for state in states] for loss in ("1/K", "1")}

    for row in rows.values():
        assert min(row) == row[states.index("s = 1")]
    assert all(scaled < whole for scaled, whole in zip(*rows.values(), strict=True))
    assert number("no decay, 1/K") < number("no decay, 1")


def test_bars_show_what_is_printed(printed, lines):
    drawn = lines("cells")

    # Plotly would take names such as "1" for numbers and leave out the others.
    assert not any(re.fullmatch(r"[\d.]+", state) for bars in drawn.values() for state in bars)
    for series, bars in drawn.items():
        steps, loss = series.split(", losses by ")
        for state, value in bars.items():
            assert f"{value:.2f}" == printed[f"{steps}, {loss}, {state}"]


def test_without_the_factor_on_the_losses_gradients_are_ten_times_as_large(lines):
    drawn = lines("gradients")

    assert all(drawn["only ½ on the state"][k] > 10 * drawn["both"][k] for k in range(1, 21))


def test_towards_the_first_step_gradients_grow_by_these_factors(number):
    def growth(name):
        return number(f"{name}, first step") / number(f"{name}, last step")

    assert round(growth("only 1/K on the loss")) == 11
    assert round(growth("both")) == 5


def test_errors_are_medians_of_the_data(lines_of_data, lines):
    found = [
        line["errors"]["last_reward"]
        for line in lines_of_data
        if line["kind"] == "model"
        and line["board"]["unroll_steps"] == 20
        and line["member"]
        == line["member"] | {"state_scale": 0.5, "scale_losses": True, "placement": "pseudocode"}
        and line["member"]["weight_decay"] > 0
    ]

    assert len(found) == 10
    drawn = lines("far")["½"]
    assert list(drawn) == [1, 2, 5, 10, 20]
    assert list(drawn.values()) == [median(column) for column in zip(*found, strict=True)]


def test_with_one_half_ten_steps_ahead_are_predicted_no_better_than_by_the_mean(number):
    assert number("½, 10 ahead") >= number("mean of the rewards, 10 ahead")
    assert number("1 (not scaled), 10 ahead") < 0.8 * number("½, 10 ahead")


def test_unscaled_networks_predict_better_at_every_distance(lines):
    drawn = lines("far")

    assert all(drawn["1 (not scaled)"][k] < drawn["½"][k] for k in drawn["½"])


def test_with_five_steps_the_difference_is_small(number):
    with_half, without = number("K = 5, ½, 5 ahead"), number("K = 5, 1, 5 ahead")

    assert abs(with_half - without) < 0.1
    assert max(with_half, without) < 0.3


def test_rates_are_medians_of_the_data(lines_of_data, lines):
    names = {
        "both": "both",
        "loss_only": "only 1/K on the loss",
        "state_only": "only ½ on the state",
        "neither": "no scaling",
    }
    expected = {name: {} for name in names.values()}
    for line in lines_of_data:
        if line["kind"] == "stability":
            expected[names[line["scaling"]]][line["unroll_steps"]] = median(line["rates"])

    assert lines("stability") == expected


def test_only_the_factor_on_the_losses_keeps_the_rate(number):
    for scaling in ("both", "loss_only"):
        assert 0.9 < number(f"{scaling}_rate_20") / number(f"{scaling}_rate_1") < 1.5
    for scaling in ("state_only", "neither"):
        assert number(f"{scaling}_rate_20") < number(f"{scaling}_rate_1") / 7
    assert number("state_only_rate_20") == number("neither_rate_20")
