# %% setup
import sys
from dataclasses import asdict, replace

import numpy as np
from scipy import stats
from tqdm import tqdm

from gradvalve import measure
from gradvalve.muzero import ablation, fixed, plan
from gradvalve.muzero.learner import Learner, scales_of

# %% learn
ITERATIONS, K = 120, plan.SMALL.unroll_steps
learner = Learner(plan.SMALL, [replace(plan.BOTH, seed=0)])
for _ in tqdm(range(ITERATIONS), file=sys.stdout, leave=False):
    learner.iterate()
weights = learner.network.get_weights()
print(f"weights: {sum(each.shape.num_elements() for each in weights)}")
print(f"caught_in_percent: {50 * (1 + learner.evaluate()[0]):.3g}")
tens = learner.curve[0].reshape(-1, 10).mean(axis=1)
measure.line_figure(
    {"mean return": dict(zip(range(10, 130, 10), tens, strict=True))},
    "iteration",
    "return of a game",
)

# %% path
WAYS = {
    "no scaling": replace(plan.STATE_UNSCALED, scale_losses=False),
    "both, as in the pseudocode": plan.BOTH,
    "both, with a hook": plan.HOOK,
}
games = fixed.fixed_games(plan.SMALL, 100)
batch = fixed.fixed_batch(games, K, 256, 1)


def path(member):
    """The gradient of each hidden state, of the network learnt above."""
    scales = scales_of([member], K)
    norms = fixed.gradient_norms(learner.network, batch, scales)
    return dict(enumerate(norms["hidden_state"][0].numpy().tolist()))


paths = {name: path(member) for name, member in WAYS.items()}
for key, name in zip(("neither", "both", "hook"), WAYS, strict=True):
    print(f"{key}_first: {paths[name][1]:.3g}")
    print(f"{key}_last: {paths[name][K]:.3g}")
measure.bar_figure(paths, "step k", "gradient of the hidden state")

# %% study
results = ablation.load("muzero_ablation.jsonl")
CELLS = {
    "both": plan.BOTH,
    "only 1/K on the loss": plan.STATE_UNSCALED,
    "only ½ on the state": plan.LOSS_UNSCALED,
    "both, with a hook": plan.HOOK,
}
ALL_SEEDS = [*plan.SEEDS, *plan.FRESH_SEEDS]


def found(what, cell, seeds=ALL_SEEDS, board=plan.LARGE, kind="run"):
    """What the study holds of a cell, a row for each seed."""
    runs = [
        ablation.find(
            results,
            {
                "kind": kind,
                "board": asdict(board),
                "member": asdict(replace(cell, seed=seed)),
            },
        )
        for seed in seeds
    ]
    return np.array([what(run) for run in runs])


def curve(run):
    return run["curve"]


for kind in ("run", "model", "stability"):
    print(f"{kind}: {sum(result['kind'] == kind for result in results)}")

# %% curves
iterations = range(10, 210, 10)
measure.line_figure(
    {
        name: dict(
            zip(iterations, found(curve, cell).mean(axis=0), strict=True)
        )
        for name, cell in CELLS.items()
    },
    "iteration",
    "return of a game",
)


# %% contrasts
def interval(differences, confidence):
    """Mean and Student's interval."""
    mean, error = differences.mean(axis=0), stats.sem(differences, axis=0)
    reach = error * stats.t.ppf((1 + confidence) / 2, len(differences) - 1)
    return mean, mean - reach, mean + reach


def differences(name, seeds):
    """Of the learning curves of a contrast, seed by seed."""
    first, second = plan.CONTRASTS[name]
    return found(curve, first, seeds) - found(curve, second, seeds)


CORRECTED = 1 - 0.05 / len(plan.CONTRASTS)  # Bonferroni
for seeds, confidence, suffix in [
    (plan.FRESH_SEEDS, CORRECTED, ""),
    (plan.SEEDS, 0.95, "_first_seeds"),
]:
    for name in plan.CONTRASTS:
        whole = differences(name, seeds).mean(axis=1)
        mean, low, high = interval(whole, confidence)
        print(f"{name}{suffix}: {mean:.3f}")
        print(f"{name}{suffix}_interval: {low:.3f} to {high:.3f}")

# %% intervals
ENDS = ("difference", "lower end of the interval", "upper end of the interval")
bands = {
    number: {
        end: dict(zip(iterations, line, strict=True))
        for end, line in zip(
            ENDS, interval(differences(name, ALL_SEEDS), 0.95), strict=True
        )
    }
    for number, name in enumerate(plan.CONTRASTS, 1)
}
measure.slider_figure(bands, "c = ", "iteration", "difference of return")

# %% cells
PLACES = ("s = 0", "s = ½", "s = 1", "s = ½, hook")
STATES = dict(zip(PLACES, plan.STATES, strict=True))


def mean_return(cell, board):
    return float(found(curve, cell, plan.SEEDS, board).mean())


bars = {}
for board in (plan.SMALL, plan.LARGE):
    for scaled, loss in [(True, "1/K"), (False, "1")]:
        row = {
            name: mean_return(replace(cell, scale_losses=scaled), board)
            for name, cell in STATES.items()
        }
        bars[f"K = {board.unroll_steps}, losses by {loss}"] = row
        for name, value in row.items():
            print(f"K = {board.unroll_steps}, {loss}, {name}: {value:.2f}")
for cell, loss in zip(plan.WITHOUT_DECAY, ("1/K", "1"), strict=True):
    print(f"no decay, {loss}: {mean_return(cell, plan.LARGE):.2f}")
measure.bar_figure(bars, "scale of the hidden state", "return while learning")


# %% gradients
def states_after(run):
    return run["gradients_after"]["hidden_state"][1:]


lines = {
    name: np.median(found(states_after, cell), axis=0).tolist()
    for name, cell in CELLS.items()
}
for name, line in lines.items():
    print(f"{name}, first step: {line[0]:.3g}")
    print(f"{name}, last step: {line[-1]:.3g}")
measure.line_figure(
    {name: dict(enumerate(line, 1)) for name, line in lines.items()},
    "step k",
    "gradient of the hidden state",
    logarithmic=True,
)


# %% far
def error(cell, kind="last_reward", board=plan.LARGE):
    """Steps ahead and the error of the reward, the median over seeds."""
    errors = found(
        lambda run: run["errors"][kind], cell, plan.SEEDS, board, "model"
    )
    typical = np.median(errors, axis=0).tolist()
    return dict(zip(plan.NEAR_AND_FAR[board], typical, strict=True))


errors = {
    "½": error(plan.BOTH),
    "1 (not scaled)": error(plan.STATE_UNSCALED),
    "0 (stopped)": error(plan.STATES[0]),
    "mean of the rewards": error(plan.BOTH, "last_reward_of_mean"),
}
for name, line in errors.items():
    for steps in (1, 10):
        print(f"{name}, {steps} ahead: {line[steps]:.2f}")
for name, cell in [("½", plan.BOTH), ("1", plan.STATE_UNSCALED)]:
    small = error(cell, board=plan.SMALL)
    print(f"K = 5, {name}, 5 ahead: {small[5]:.2f}")
measure.line_figure(errors, "steps ahead", "error of the last reward")

# %% stability
NAMES = {
    "both": "both",
    "loss_only": "only 1/K on the loss",
    "state_only": "only ½ on the state",
    "neither": "no scaling",
}


def highest_rates(scaling):
    found = {
        steps: ablation.find(
            results,
            {"kind": "stability", "unroll_steps": steps, "scaling": scaling},
        )
        for steps in plan.LENGTHS
    }
    return {k: float(np.median(each["rates"])) for k, each in found.items()}


rates = {scaling: highest_rates(scaling) for scaling in NAMES}
for scaling, line in rates.items():
    print(f"{scaling}_rate_1: {line[1]:.2g}")
    print(f"{scaling}_rate_20: {line[20]:.2g}")
measure.line_figure(
    {NAMES[scaling]: line for scaling, line in rates.items()},
    "number of unrolled steps K",
    "highest stable learning rate",
    logarithmic=True,
)
