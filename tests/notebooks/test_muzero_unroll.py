"""What the page says about gradients along the unroll: each such sentence is a test."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LENGTHS = (1, 5, 10, 50)


@pytest.fixture(scope="module")
def printed(printed):
    return {key: ast.literal_eval(text) for key, text in printed.items()}


def closed_forms(K):  # noqa: N803
    return {
        "both": 2 - 2 / K * (1 - 2**-K),
        "only 1/K on the loss": (K + 1) / 2,
        "only ½ on the state": 2 * K - 2 * (1 - 2**-K),
        "no scaling": K * (K + 1) / 2,
    }


def test_totals_follow_the_closed_forms_for_every_length(lines):
    totals = lines("totals")

    for K in range(1, 51):  # noqa: N806
        measured = {name: line[K] for name, line in totals.items()}
        assert measured == pytest.approx(closed_forms(K), rel=1e-12)


def test_the_notebook_finds_no_difference_to_the_closed_forms_but_rounding(printed):
    assert printed["largest_relative_difference"] < 1e-15


def test_with_both_scalings_the_gradient_rises_from_one_and_stays_below_two(lines):
    both = list(lines("totals")["both"].values())

    assert both[0] == 1
    assert both == sorted(both)
    assert both[-1] < 2


def test_only_both_scalings_together_keep_it_bounded(lines):
    assert {name for name, line in lines("totals").items() if max(line.values()) < 2} == {"both"}


def test_what_arrives_at_a_step_is_a_geometric_sum(notebook):
    (slider,) = notebook.cells["steps"].figure["layout"]["sliders"]
    names = [trace["name"] for trace in notebook.cells["steps"].figure["data"]]
    factors = {"both": 0.5, "only 1/K on the loss": 1, "only ½ on the state": 0.5, "no scaling": 1}

    for step in slider["steps"]:
        K = int(step["label"])  # noqa: N806
        for name, measured in zip(names, step["args"][0]["y"], strict=True):
            own = 1 / K if name in ("both", "only 1/K on the loss") else 1
            expected = [own * sum(factors[name] ** i for i in range(K - k)) for k in range(K)]
            assert measured == pytest.approx(expected, rel=1e-12)


def test_with_one_half_no_step_gets_more_than_twice_what_its_own_loss_sends(printed):
    assert printed["state_only_last"] == 1
    assert printed["state_only_first"] <= 2
    assert printed["neither_first"] == 50


def test_what_arrives_at_the_steps_adds_up_to_the_total(notebook, lines):
    (slider,) = notebook.cells["steps"].figure["layout"]["sliders"]
    last = slider["steps"][-1]["args"][0]["y"]

    totals = [line[50] for line in lines("totals").values()]
    assert [sum(ys) for ys in last] == pytest.approx(totals)


def test_placements_on_the_chain_match_the_derivatives_by_hand(printed):
    # d(h1 + h2 + h3) for h_k = w_k h_(k-1) with every w_k = 2 and h_0 = 1
    assert printed["unscaled_weights"] == [1 + 2 + 4, 2 + 4, 4]
    assert printed["unscaled_root"] == 2 + 4 + 8
    assert printed["pseudocode_weights"] == printed["text_weights"] == [1 + 1 + 1, 2 + 2, 4]
    assert printed["pseudocode_root"] == 2 + 2 + 2
    assert printed["text_root"] == printed["pseudocode_root"] / 2
    assert printed["hook_weights"] == [norm / 2 for norm in printed["pseudocode_weights"]]
    assert printed["hook_root"] == printed["pseudocode_root"] / 2


def test_bars_show_what_is_printed(printed, lines):
    names = {
        "as in the pseudocode": "pseudocode",
        "as in the paper's text": "text",
        "with a hook": "hook",
        "no scaling": "unscaled",
    }

    assert lines("placements") == {
        name: dict(
            zip(
                ["w₁", "w₂", "w₃", "h₀"],
                [*printed[f"{key}_weights"], printed[f"{key}_root"]],
                strict=True,
            )
        )
        for name, key in names.items()
    }


@pytest.mark.parametrize("K", LENGTHS)
def test_the_root_gets_its_own_loss_and_a_shrinking_share_of_the_others(printed, K):  # noqa: N803
    share = (1 - 2**-K) / K

    assert printed[f"root_pseudocode_{K}"] == pytest.approx(1 + 2 * share, abs=1e-3)
    assert printed[f"root_text_{K}"] == pytest.approx(1 + share, abs=1e-3)
    assert printed[f"root_hook_{K}"] == printed[f"root_text_{K}"]
    assert printed[f"root_loss_only_{K}"] == 2


def test_all_unrolled_losses_together_weigh_as_much_in_the_heads_as_the_root(printed):
    for K in (1, 50):  # noqa: N806
        assert printed[f"heads_both_{K}"] == printed[f"heads_loss_only_{K}"] == 2
        assert printed[f"heads_state_only_{K}"] == printed[f"heads_neither_{K}"] == 1 + K


@pytest.mark.parametrize("K", LENGTHS)
def test_an_orthogonal_map_with_random_targets_follows_its_formulas(printed, K):  # noqa: N803
    both = (4 / 3 * (K - (1 - 4**-K) / 3)) ** 0.5 / K
    loss_only = ((K + 1) / (2 * K)) ** 0.5

    assert printed[f"shifted_both_{K}_expected"] == pytest.approx(both, rel=0.01)
    assert printed[f"shifted_loss_only_{K}_expected"] == pytest.approx(loss_only, rel=0.01)
    assert printed[f"shifted_both_{K}"] == pytest.approx(both, rel=0.06)
    assert printed[f"shifted_loss_only_{K}"] == pytest.approx(loss_only, rel=0.06)


def test_there_the_loss_scaling_alone_is_nearly_constant_from_five_steps_on(printed):
    late = [printed[f"shifted_loss_only_{steps}"] for steps in (5, 10, 50)]

    assert max(late) / min(late) < 1.1


def test_there_both_scalings_let_the_gradient_fall_and_the_loss_scaling_alone_does_not(lines):
    drawn = lines("shift_totals")
    falling = list(drawn["orthogonal map: both"].values())

    assert falling == sorted(falling, reverse=True)
    assert falling[-1] < 0.2
    level = drawn["orthogonal map: only 1/K on the loss"]
    assert all(0.7 < level[K] < 0.85 for K in level if K >= 5)


def test_aligned_paths_are_the_worst_case(lines):
    drawn = lines("shift_totals")

    for name in ("both", "only 1/K on the loss"):
        aligned, shifted = drawn[f"aligned paths: {name}"], drawn[f"orthogonal map: {name}"]
        assert all(shifted[K] < aligned[K] for K in aligned if K > 1)


def test_in_a_normalised_network_the_gradient_neither_follows_the_table_nor_explodes(
    printed, lines
):
    drawn = lines("network_totals")

    for name, key in [("both", "both"), ("only 1/K on the loss", "loss_only")]:
        assert all(0.4 < y < 1.3 for y in drawn[f"median: {name}"].values())
        assert printed[f"network_{key}_largest"] == pytest.approx(
            max(drawn[f"largest of ten: {name}"].values()), rel=0.01
        )
        assert printed[f"network_{key}_largest"] < 5
    assert printed["network_loss_only_50"] < (50 + 1) / 2 / 10  # a tenth of what the table says


def test_there_one_half_makes_the_gradient_smaller_but_is_not_what_bounds_it(lines):
    drawn = lines("network_totals")

    for kind in ("median", "largest of ten"):
        both, alone = drawn[f"{kind}: both"], drawn[f"{kind}: only 1/K on the loss"]
        assert all(both[K] <= alone[K] < 5 * both[K] for K in both)
