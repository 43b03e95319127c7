"""What the page on TD targets says in words, beside what its snippets and example print."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gradvalve import live
from gradvalve_site import snippets

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = (DOCS / "live" / "td_target.py").read_text(encoding="utf-8")
SNIPPET = DOCS / "snippets" / "td_target" / "with_tensorflow.py"


def printed(name: str, framework: str = "tensorflow") -> dict:
    recorded = snippets.values(DOCS / "snippets" / name / f"with_{framework}.txt")
    return {key: ast.literal_eval(text) for key, text in recorded.items()}


def run_example(monkeypatch, target, p=0.5, period=10, steps=60) -> dict:
    """Return the values of A and B at each step of the example."""
    plotted = {}
    settings = {"probability p of B after A": p, "steps between updates (N)": period}
    monkeypatch.setattr(live, "choice", lambda *_: target)
    monkeypatch.setattr(live, "slider", lambda name, *_: settings[name])
    monkeypatch.setattr(live, "plot", lambda _, series, **__: plotted.update(series))
    code = EXAMPLE.replace("steps = 60", f"steps = {steps}")
    exec(compile(code, "example", "exec"), {"print": lambda *_: None})
    return plotted


@pytest.mark.parametrize("p", [0.2, 0.5, 0.9, 1.0])
def test_without_a_stop_the_values_end_at_the_closed_form(p, monkeypatch):
    values = run_example(monkeypatch, "not stopped", p, steps=600)

    assert values["A"][-1] == pytest.approx(p / (2 - p), abs=1e-4)
    assert values["B"][-1] == pytest.approx(1 / (2 - p), abs=1e-4)


@pytest.mark.parametrize("p", [0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("target", ["stopped", "target network"])
def test_a_stopped_target_ends_at_the_true_values(p, target, monkeypatch):
    values = run_example(monkeypatch, target, p, steps=600)

    assert values["A"][-1] == pytest.approx(p, abs=1e-4) == values["true A"][-1]
    assert values["B"][-1] == pytest.approx(1, abs=1e-4) == values["true B"][-1]


def test_a_target_network_only_delays_a(monkeypatch):
    stopped = run_example(monkeypatch, "stopped")
    delayed = run_example(monkeypatch, "target network", period=20)

    assert delayed["B"] == stopped["B"]
    assert all(late <= early for late, early in zip(delayed["A"], stopped["A"], strict=True))
    assert delayed["A"][20] == 0 < stopped["A"][20]
    assert delayed["A"][-1] == pytest.approx(stopped["A"][-1], abs=0.001)


def test_updating_at_every_step_is_the_same_as_stopping(monkeypatch):
    stopped = run_example(monkeypatch, "stopped")

    assert run_example(monkeypatch, "target network", period=1) == stopped


def test_fixed_points_differ_where_the_next_state_is_a_matter_of_chance():
    values = printed("td_chain")

    assert values["stopped"] == [0.5, 1.0, 0.0]  # solve V = r + P V
    assert values["not_stopped"] == [0.5, 0.75, 0.25]
    assert values["certain_stopped"] == values["certain_not_stopped"] == [1.0, 1.0, 0.0]


def test_the_true_values_have_the_larger_loss_unless_the_next_state_is_certain():
    def loss(a, b, c, to_b):
        return to_b * ((b - a) ** 2 + (1 - b) ** 2) + (1 - to_b) * ((c - a) ** 2 + c**2)

    values = printed("td_chain")

    assert loss(*values["not_stopped"], to_b=0.5) < loss(*values["stopped"], to_b=0.5)
    assert loss(*values["certain_stopped"], to_b=1) == 0


def test_case_c77_a_dropped_detach_stops_nothing_and_reverses_the_sign():
    w, target = 2.0, 3 * 2.0
    values = printed("td_dropped", "torch")

    assert values == {"dropped": 2 * (w - target) * (1 - 3), "kept": 2 * (w - target)}
    assert values["kept"] < 0 < values["dropped"]

    moved = w - 0.01 * values["dropped"]

    assert (moved - 3 * moved) ** 2 < (w - target) ** 2
    assert target - 3 * moved > w - moved > 0


def test_the_test_on_the_page_fails_without_the_stop(tmp_path):
    code = SNIPPET.read_text(encoding="utf-8")
    unstopped = re.sub(r"tf\.stop_gradient\((.*)\)", r"\1", code)
    path = tmp_path / SNIPPET.name
    path.write_text(unstopped, encoding="utf-8")

    assert unstopped != code
    done = subprocess.run([sys.executable, path], capture_output=True, encoding="utf-8")
    assert done.returncode
    assert "AssertionError" in done.stderr
