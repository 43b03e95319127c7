"""Run the study of plan.py: `python -m gradvalve.muzero.ablation [results.jsonl]`.

Each finished run is one line of JSON. What the file holds already is not run again, so an
interrupted study goes on where it was.
"""

import json
import multiprocessing
import os
import platform
import sys
from concurrent.futures import ProcessPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path

import numpy as np
import tensorflow as tf
from tqdm import tqdm

from gradvalve.muzero import fixed, plan
from gradvalve.muzero.learner import Learner, scales_of

RESULTS = Path("docs/data/muzero_ablation.jsonl")
TOGETHER = 20  # members that learn side by side: more are faster, but an interruption costs more
POINTS = 20  # of a learning curve
GAMES = 100  # on which the finished runs are measured


def run(job, tick=lambda work: work):
    """Train the members of a job side by side; return a dict for each, as the file has it."""
    games = fixed.fixed_games(job.board, GAMES)
    learner = Learner(job.board, job.members)
    batch = fixed.fixed_batch(games, job.board.unroll_steps, 256, len(job.members))
    before = fixed.gradient_norms(learner.network, batch, learner.scales)
    for _ in range(job.iterations):
        learner.iterate()
        tick(cost(job) / job.iterations)
    results = {
        "curve": learner.curve.reshape(len(job.members), POINTS, -1).mean(axis=-1),
        "greedy_return": learner.evaluate(),
        "errors": fixed.model_errors(learner.network, games, job.horizons),
        "gradients_before": before,
        "gradients_after": fixed.gradient_norms(learner.network, batch, learner.scales),
    }
    return _lines(job, results)


def run_model(job, tick=lambda work: work):
    """Train the members on given games; return a dict for each, as the file has it."""
    learner = Learner(job.board, job.members)
    games = fixed.repeated(fixed.fixed_games(job.board, 10 * GAMES, seed=1), len(job.members))
    for _ in range(job.updates):
        learner.update(games)
        tick(cost(job) / job.updates)
    others = fixed.fixed_games(job.board, GAMES)
    return _lines(job, {"errors": fixed.model_errors(learner.network, others, job.horizons)})


def run_stability(job, tick=lambda work: work):
    """Return the highest stable learning rates of a scaling, by seed, a list of one dict."""
    rates = fixed.highest_stable_rate(
        plan.RATES,
        plan.STABILITY_SEEDS,
        fixed.fixed_games(plan.LARGE, GAMES),
        job.unroll_steps,
        lambda members: scales_of([plan.SCALINGS[job.scaling]] * members, job.unroll_steps),
        plan.STABILITY_STEPS,
    )
    tick(cost(job))
    (configuration,) = configurations(job)
    return [configuration | {"rates": _rounded(rates), "versions": _versions()}]


def configurations(job):
    """Return what tells each run of a job from all others, a dict as the file has it."""
    if isinstance(job, plan.Stability):
        return [{"kind": "stability"} | job._asdict()]
    if isinstance(job, plan.Model):
        common = {"kind": "model", "updates": job.updates}
    else:
        common = {"kind": "run", "iterations": job.iterations}
    common |= {"board": asdict(job.board)}
    return [common | {"member": asdict(member)} for member in job.members]


def load(path=RESULTS):
    """Return the finished runs in a file, a list of dicts; none if there is no file."""
    path = Path(path)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def find(results, configuration):
    """Return the result with this configuration, or None."""
    for result in results:
        if result.items() >= configuration.items():
            return result
    return None


def unfinished(jobs, results):
    """Return the jobs without the members that have a result, in parts of TOGETHER members."""
    for job in jobs:
        missing = [find(results, each) is None for each in configurations(job)]
        if isinstance(job, plan.Stability):
            yield from [job] * missing[0]
            continue
        members = [each for each, gone in zip(job.members, missing, strict=True) if gone]
        for first in range(0, len(members), TOGETHER):
            yield job._replace(members=members[first : first + TOGETHER])


def differences(again, before):
    """Return in what runs that were repeated differ from before, a list of sentences.

    Other processors round differently, and learning makes the most of it. So the gradients before
    learning have to agree to 1 % in each run, but of learning only means over all runs do: of the
    last quarter of the curve to 0.25, of the greedy return to 0.3.
    """
    compared = []
    for now, then in zip(again, before, strict=True):
        for place in ("representation", "dynamics", "prediction"):
            old, new = (run["gradients_before"][place] for run in (then, now))
            compared.append((f"{place} gradient of {now['member']}", new, old, 0.01 * old))
    for what, tolerance in (("curve", 0.25), ("greedy_return", 0.3)):
        last = [
            [np.atleast_1d(run[what])[-POINTS // 4 :] for run in each] for each in (again, before)
        ]
        compared.append((f"mean end of {what}", np.mean(last[0]), np.mean(last[1]), tolerance))
    return [
        f"{what}: {new:.4g} instead of {old:.4g}, beyond {tolerance:.2g}"
        for what, new, old, tolerance in compared
        if not abs(new - old) <= tolerance
    ]


def cost(job):
    """Return about how much work a job is; only the ratio of two jobs means something."""
    if isinstance(job, plan.Stability):
        return 40 * job.unroll_steps
    iterations = job.updates / 40 if isinstance(job, plan.Model) else job.iterations
    return iterations * job.board.unroll_steps * (5 + len(job.members)) / 10


def study(jobs, path=RESULTS):
    """Run what is unfinished on all cores and append it to the file."""
    jobs = sorted(unfinished(jobs, load(path)), key=cost, reverse=True)
    context = multiprocessing.get_context("spawn")
    done = context.Value("d", 0.0)
    with (
        tqdm(total=round(sum(map(cost, jobs))), bar_format=BAR) as bar,
        ProcessPoolExecutor(os.cpu_count(), context, _start_worker, (done,)) as workers,
    ):
        running = {workers.submit(_work, job) for job in jobs}
        while running:
            finished, running = wait(running, timeout=1, return_when="FIRST_COMPLETED")
            for each in finished:
                _append(path, each.result())
            bar.update(round(done.value) - bar.n)


BAR = "{percentage:3.0f}% |{bar}| {elapsed} < {remaining}"
_done = None  # in a worker: the work done by all


def _start_worker(done):
    global _done
    _done = done
    tf.config.threading.set_intra_op_parallelism_threads(1)  # each worker has a core
    tf.config.threading.set_inter_op_parallelism_threads(1)


def _work(job):
    def tick(work):
        with _done.get_lock():
            _done.value += work

    runs = {plan.Job: run, plan.Model: run_model, plan.Stability: run_stability}
    return runs[type(job)](job, tick)


def _append(path, results):
    with Path(path).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(result) + "\n" for result in results)


def _lines(job, results):
    return [
        configuration | _of_member(number, results) | {"versions": _versions()}
        for number, configuration in enumerate(configurations(job))
    ]


def _of_member(number, results):
    """Return the part of a member, with plain numbers of four digits."""
    if isinstance(results, dict):
        return {key: _of_member(number, part) for key, part in results.items()}
    return _rounded(np.asarray(results)[number])


def _rounded(array):
    if np.ndim(array):
        return [_rounded(each) for each in array]
    return float(f"{array:.4g}")


def _versions():
    packages = {"tensorflow": tf, "keras": tf.keras, "numpy": np}
    numbers = {name: package.__version__ for name, package in packages.items()}
    return {"python": platform.python_version()} | numbers


if __name__ == "__main__":
    study(plan.JOBS, *sys.argv[1:])
