"""What the page on porting says in words, beside what its snippets print."""

import importlib.util
import inspect
import math
import sys
from pathlib import Path

import jax
import pytest
import tensorflow as tf
import torch

from gradvalve_site import snippets

# PyTorch warns of itself when it compiles.
pytestmark = pytest.mark.filterwarnings(
    "ignore:`torch.jit.* is deprecated",
    "ignore:.*should not be instantiated",
    "ignore:`isinstance.treespec, LeafSpec.` is deprecated",
)

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "snippets"
FRAMEWORKS = ["tensorflow", "jax", "torch"]
ONE_LINER = """
def scale_gradient(x, scale):
    return x * scale + STOPPED * (1 - scale)
"""
STOPPED = {
    "tensorflow": "tf.stop_gradient(x)",
    "jax": "jax.lax.stop_gradient(x)",
    "torch": "x.detach()",
}
# Each short rule, and the error by which the test refuses it.
SHORT = [
    ("tensorflow", "short", ValueError),
    ("jax", "short", jax.errors.UnexpectedTracerError),
    ("torch", "Short.apply", AssertionError),
    ("torch", "hook", RuntimeError),
]
each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)


def module(framework):
    """Return the downloaded copy of the file, as it is imported beside a program."""
    path, name = ROOT / f"src/gradvalve/{framework}.py", f"gradvalve_{framework}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def code(topic, framework):
    return (FOLDER / topic / f"with_{framework}.py").read_text(encoding="utf-8")


def changed_test(framework, operation):
    """Return the ten-line test with something else in place of the import of the operation."""
    line = f"from gradvalve.{framework} import scale_gradient\n"
    assert line in code("port_test", framework)
    return code("port_test", framework).replace(line, operation)


def rules(framework):
    """Return the part of the program behind the table that defines the short rules."""
    return code("port_rules", framework).partition("def report(")[0]


def run(program):
    names = {}
    exec(compile(program, "program", "exec"), names)
    return names


@each_framework
def test_the_test_passes_beside_a_copied_file(framework, capsys):
    module(framework)

    run(changed_test(framework, f"from gradvalve_{framework} import scale_gradient\n"))

    assert capsys.readouterr().out == "passed\n"


@pytest.mark.parametrize(("framework", "name", "error"), SHORT)
def test_the_test_fails_for_each_short_rule(framework, name, error):
    program = changed_test(framework, f"{rules(framework)}\nscale_gradient = {name}\n")

    with pytest.raises(error):
        run(program)


@each_framework
def test_the_test_fails_for_the_one_liner_at_its_first_line(framework):
    program = changed_test(framework, ONE_LINER.replace("STOPPED", STOPPED[framework]))

    with pytest.raises(AssertionError) as failure:
        run(program)
    line = program.splitlines()[failure.traceback[-1].lineno]
    assert "inf, -1" in line


def test_names_and_arguments_are_the_same():
    modules = [module(framework) for framework in FRAMEWORKS]
    assert all(m.__all__ == ["scale_gradient", "stop_gradient"] for m in modules)
    for name in modules[0].__all__:
        assert len({str(inspect.signature(getattr(m, name))) for m in modules}) == 1


def test_a_stopped_x_has_the_gradient_none_or_zero_in_jax():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = module("tensorflow").stop_gradient(x) ** 2
    assert tape.gradient(y, x) is None
    assert not (module("torch").stop_gradient(torch.ones(1, requires_grad=True))).requires_grad
    assert jax.grad(lambda x: module("jax").stop_gradient(x) ** 2)(3.0) == 0


# The table


def printed(framework):
    return snippets.values(FOLDER / "port_rules" / f"with_{framework}.txt")


def test_the_right_column_is_right():
    values = {key: float(value) for key, value in printed("jax").items() if "gradvalve" in key}

    right = {"first": 0.5 * 3 * 1.5**2, "second": 0.25 * 6 * 1.5, "zero": 0}
    assert values == {
        f"gradvalve_{check}": right.get(check, right["first"])
        for check in ["first", "second", "forward", "compiled", "per_scale", "keyword", "zero"]
    }


@pytest.mark.parametrize(
    ("framework", "prefix", "wrong"),
    [
        ("tensorflow", "", {"forward": 6.75, "keyword": 6.75}),
        (
            "jax",
            "short_",
            {"second": 4.5, "forward": "TypeError", "per_scale": "UnexpectedTracerError"},
        ),
        (
            "torch",
            "function_",
            {"forward": "NotImplementedError", "compiled": 6.75, "per_scale": "RuntimeError"},
        ),
        ("torch", "hook_", {"second": 4.5, "forward": 6.75}),
    ],
)
def test_each_short_rule_is_wrong_where_the_page_says_why(framework, prefix, wrong):
    right = printed("jax")
    for check in ["first", "second", "forward", "compiled", "per_scale", "keyword"]:
        expected = str(wrong.get(check, right[f"gradvalve_{check}"]))
        assert printed(framework)[prefix + check] == expected
    assert math.isnan(float(printed(framework)[prefix + "zero"]))


def test_a_jax_rule_that_returns_the_operation_has_the_right_second_derivative():
    program = rules("jax").replace("return x, None", "return short(x, 0.5), None")
    program = program.replace("return forward(x, scale)[0]", "return x")
    short = run(program)["short"]

    assert jax.grad(jax.grad(lambda x: short(x, 0.5) ** 3))(1.5) == 2.25


def test_a_scale_that_is_an_ordinary_argument_may_be_traced():
    short = jax.custom_vjp(lambda x, _: x)
    short.defvjp(lambda x, scale: (short(x, scale), scale), lambda scale, g: (scale * g, None))

    def slope(x, scale):
        return jax.grad(lambda x: short(x, scale) ** 3)(x)

    assert jax.jit(slope)(1.5, 0.5) == 3.375
    assert jax.grad(lambda scale: short(1.5, scale) ** 3)(0.5) == 0


def test_a_custom_jvp_has_forward_mode():
    short = jax.custom_jvp(lambda x: x)
    short.defjvp(lambda primals, tangents: (short(*primals), 0.5 * tangents[0]))

    assert jax.jacfwd(lambda x: short(x) ** 3)(1.5) == 3.375
    assert jax.hessian(lambda x: short(x) ** 3)(1.5) == 2.25


def test_a_hook_counts_once_more_for_each_head():
    values = snippets.values(FOLDER / "hook" / "with_torch.txt")

    assert values["operation_weights"] == "[3.0, 4.0, 4.0]"
    assert values["hook_weights"] == "[1.5, 2.0, 2.0]"
    assert (values["operation_root"], values["hook_root"]) == ("6.0", "3.0")
