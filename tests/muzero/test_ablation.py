"""The study: what it measures, that it goes on where it was, and that it can be repeated."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradvalve.muzero import ablation, fixed, plan, update
from gradvalve.muzero.catch import Catch
from gradvalve.muzero.games import windows
from gradvalve.muzero.learner import Board, Learner, Member, scales_of
from gradvalve.muzero.network import Network

RESULTS = Path(__file__).parents[2] / ablation.RESULTS
TINY = Board(rows=4, columns=3, unroll_steps=2)
MEMBERS = [Member(seed=1), Member(seed=2, state_scale=1.0), Member(seed=3, placement="hook")]
JOB = plan.Job(TINY, 20, (1, 2), MEMBERS)


@pytest.fixture(scope="module")
def finished():
    return ablation.run(JOB)


@pytest.fixture(scope="module")
def repeated():
    """Four runs of the cell with both scalings, once more, and as they are in the file."""
    job = plan.JOBS[0]
    job = job._replace(members=[replace(plan.BOTH, seed=seed) for seed in range(4)])
    results = ablation.load(RESULTS)
    before = [ablation.find(results, each) for each in ablation.configurations(job)]
    assert None not in before, f"{RESULTS} lacks runs of {job}"
    return ablation.run(job), before


def test_a_cell_gives_again_what_the_file_says(repeated):
    assert ablation.differences(*repeated) == []


@pytest.mark.parametrize("key", ["gradients_before", "curve", "greedy_return"])
def test_a_cell_that_gives_something_else_is_noticed(finished, key):
    def changed(run):
        others = {
            "gradients_before": run["gradients_before"]
            | {"dynamics": 1.02 * run["gradients_before"]["dynamics"]},
            "curve": [each + 0.3 for each in run["curve"]],
            "greedy_return": run["greedy_return"] - 0.4,
        }
        return run | {key: others[key]}

    assert ablation.differences(finished, finished) == []
    complaints = ablation.differences([changed(run) for run in finished], finished)

    assert len(complaints) == (len(MEMBERS) if key == "gradients_before" else 1)


def test_the_committed_file_holds_every_run_of_the_plan_once():
    results = ablation.load(RESULTS)
    planned = [each for job in plan.JOBS for each in ablation.configurations(job)]

    assert all(ablation.find(results, each) for each in planned)
    assert len(results) == len(planned)


def test_a_study_runs_what_is_missing_and_nothing_else(tmp_path, finished):
    path = tmp_path / "results.jsonl"
    kept = [finished[1] | {"greedy_return": "as it was"}]
    path.write_text(json.dumps(kept[0]) + "\n", encoding="utf-8")
    jobs = [JOB, plan.Model(TINY, 2, (1, 2), MEMBERS[:2])]

    ablation.study(jobs, path)
    results = ablation.load(path)

    assert results[0] == kept[0]
    assert len(results) == 5
    assert list(ablation.unfinished(jobs, results)) == []
    for configuration in (each for job in jobs for each in ablation.configurations(job)):
        assert ablation.find(results, configuration)


def test_an_interrupted_study_goes_on_with_the_members_that_are_missing(finished):
    (rest,) = ablation.unfinished([JOB], finished[1:2])

    assert rest == JOB._replace(members=[MEMBERS[0], MEMBERS[2]])


def test_results_are_plain_and_small(finished):
    (line, *_) = map(json.dumps, finished)

    assert len(line) < 2000
    assert json.loads(line) == finished[0]
    assert len(finished[0]["curve"]) == ablation.POINTS


def test_the_plan_holds_what_it_says():
    runs, large, model, large_model, *stability = plan.JOBS
    members = runs.members + large.members

    assert len(plan.CELLS) == len(set(plan.CELLS)) == 8
    assert [len(job.members) for job in (runs, large, model, large_model)] == [80, 140, 80, 100]
    assert len(stability) == 20
    assert {member.seed for member in members} == {*plan.SEEDS, *plan.FRESH_SEEDS}
    for job in (runs, large):
        assert len(set(job.members)) == len(job.members)
    for pair in plan.CONTRASTS.values():
        for cell in pair:
            for seed in (*plan.SEEDS, *plan.FRESH_SEEDS):
                assert replace(cell, seed=seed) in large.members


def test_the_fixed_games_are_games_and_their_values_what_can_be_reached():
    games = fixed.fixed_games(TINY, 50)
    catch = Catch(4, 3, np.argmax(games.image[0, :, 0, :3], axis=1))
    for step in range(3):
        np.testing.assert_array_equal(games.image[0, :, step], catch.image())
        np.testing.assert_allclose(
            games.value[0, :, step], catch.best_return() * 0.997 ** (2 - step)
        )
        reward = catch.step(games.action[0, :, step])
        np.testing.assert_array_equal(games.reward[0, :, step], reward)

    assert set(reward) == {-1, 1}
    np.testing.assert_allclose(games.policy.sum(axis=-1), 1)


def test_errors_of_the_model_are_what_a_plain_loop_finds():
    network = Network(12, 3, [1, 2])
    games = fixed.fixed_games(TINY, 6)
    errors = fixed.model_errors(network, games, (1, 2))

    for number, k in enumerate((1, 2)):
        found = {"reward": [], "last_reward": [], "value": [], "value_unchanged": []}
        true = {"reward": [], "last_reward": [], "value": []}
        for game in range(6):
            for start in range(3 - k + 1):
                image = np.tile(games.image[:, game, start].astype("float32"), (2, 1))[:, None]
                prediction = first = network.initial_inference(image)
                for step in range(start, start + k):
                    action = np.full((2, 1), games.action[0, game, step])
                    prediction = network.recurrent_inference(prediction.hidden_state, action)
                reward = games.reward[0, game, start + k - 1]
                kinds = ["reward", "last_reward"] if start + k == 3 else ["reward"]
                for kind in kinds:
                    found[kind].append((prediction.reward[:, 0] - reward) ** 2)
                    true[kind].append(reward)
                if start + k < 3:
                    value = games.value[0, game, start + k]
                    found["value"].append((prediction.value[:, 0] - value) ** 2)
                    found["value_unchanged"].append((first.value[:, 0] - value) ** 2)
                    true["value"].append(value)
        for kind, squares in found.items():
            np.testing.assert_allclose(errors[kind][:, number], np.mean(squares, 0), rtol=1e-4)
        for kind, values in true.items():
            np.testing.assert_allclose(errors[f"{kind}_of_mean"][:, number], np.var(values), 1e-4)
        expected = np.mean(np.square(true["reward"]))
        np.testing.assert_allclose(errors["reward_of_zero"][:, number], expected, rtol=1e-6)


def test_gradients_at_the_hidden_states_show_what_each_placement_stops():
    games = fixed.fixed_games(TINY, 50)
    places = [(1.0, "pseudocode"), (0.0, "pseudocode"), (0.0, "text"), (0.0, "hook")]
    members = [Member(seed=0, state_scale=scale, placement=place) for scale, place in places]
    learner = Learner(TINY, members)
    batch = fixed.fixed_batch(games, 2, 32, len(members))

    norms = fixed.gradient_norms(learner.network, batch, learner.scales)
    whole, pseudocode, text, hook = norms["hidden_state"].numpy()
    root_alone = np.array(first_loss_norm(learner.network, batch))

    np.testing.assert_allclose(text[0], root_alone, rtol=1e-5)  # nothing comes back from step 1
    assert abs(pseudocode[0] - root_alone) > 1e-3 * root_alone
    assert abs(hook[0] - root_alone) > 1e-3 * root_alone  # the reward's part of step 1 passes
    np.testing.assert_allclose(pseudocode[1:], text[1:], rtol=1e-5)
    np.testing.assert_allclose(pseudocode[2], whole[2], rtol=1e-5)  # after the last step is nothing
    assert abs(pseudocode[1] - whole[1]) > 1e-3 * whole[1]
    assert (hook[1:] == 0).all()
    assert norms["dynamics"].shape == (4,)


def first_loss_norm(network, batch):
    """The gradient of the first prediction's loss at the root, root mean square."""
    import tensorflow as tf

    with tf.GradientTape() as tape:
        prediction = network.initial_inference(batch.image)
        loss = update.prediction_loss(prediction, update.targets(batch, 0))[0]
    gradient = tape.gradient(loss, prediction.hidden_state)[0].numpy()
    return np.sqrt((gradient**2).sum(axis=-1).mean())


def test_the_highest_stable_rate_is_one_at_which_descent_is_stable_and_the_next_is_not():
    games = fixed.fixed_games(TINY, 50)
    rates = [1e-3, 1e-2, 100.0]

    found = fixed.highest_stable_rate(
        rates, [0, 1], games, 2, lambda members: scales_of([Member()] * members, 2), 20
    )

    assert found.tolist() == [1e-2, 1e-2]


def test_no_rate_is_stable_if_the_lowest_is_not():
    games = fixed.fixed_games(TINY, 50)

    found = fixed.highest_stable_rate(
        [100.0, 1e-3], [0], games, 2, lambda members: scales_of([Member()] * members, 2), 20
    )

    assert found.tolist() == [0.0]


def test_windows_of_repeated_games_are_equal_for_all_members():
    games = fixed.repeated(fixed.fixed_games(TINY, 5), 2)
    batch = windows(games, np.zeros((2, 4), int), np.ones((2, 4), int), 2, np.zeros((2, 4, 3), int))

    for each in batch:
        np.testing.assert_array_equal(each[0], each[1])
