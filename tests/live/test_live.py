"""What `gradvalve.live` promises to examples and to pages, in both interpreters."""

import subprocess
import sys

import pytest

from gradvalve import live
from tests.live.conftest import ROOT, agree, find, forbidden, text_of

EXAMPLES = sorted((ROOT / "docs/live").glob("*.py"))
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>{0}{x}&amp;'


def attributes(tree):
    return tree[1]


def printed(result):
    return text_of(find(result["output"], "pre"))


def last_line(result):
    return result["error"].split("\n")[-1]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_of_the_pages_run_alike_in_both_interpreters(run, file):
    result = run(file.read_text(encoding="utf-8"))

    assert result["output"]


def test_a_difference_between_the_interpreters_would_be_noticed():
    assert agree(["a 0.1 b", {"x": None}], ["a 0.10000000000001 b", {"x": None}])
    assert not agree(["a 0.1 b"], ["a 0.100000000002 b"])
    assert not agree(["a 0.1 b"], ["a 0.1 c"])
    assert not agree({"error": None}, {"error": "TypeError"})


def test_what_the_browser_refuses_would_be_noticed():
    tree = ["div", {"style": "x", "class": 3}, [["script", {}, []], ["svg", {"onload": "x"}, []]]]

    assert forbidden(tree) == ["style", "class", "script", "onload"]


# Controls.

SLIDER = 'from gradvalve.live import slider\nprint(slider("s", 0.5, -1, 2))'
CHOICE = 'from gradvalve.live import choice\nprint(repr(choice("variant", ["hook", 2, 0.5])))'


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        (None, "0.5"),
        ("0.25", "0.25"),
        ("-1", "-1.0"),
        ("2", "2.0"),
        ("2.01", "0.5"),
        ("-1e9", "0.5"),
        ("nan", "0.5"),
        ("inf", "0.5"),
        ("", "0.5"),
        ("0,25", "0.5"),
        ("<b>", "0.5"),
    ],
)
def test_a_setting_that_a_slider_cannot_have_is_its_default(run, setting, value):
    result = run(SLIDER, {} if setting is None else {"s": setting})

    assert printed(result) == f"{value}\n"
    (field,) = find(result["controls"], "input")
    assert float(attributes(field)["value"]) == float(value)


def test_a_slider_has_a_hundred_steps_unless_told_otherwise(run):
    result = run(SLIDER + '\nslider("K", 5, 1, 10, 1)')

    first, second = map(attributes, find(result["controls"], "input"))
    expected = {
        "type": "range",
        "name": "s",
        "value": "0.5",
        "min": "-1",
        "max": "2",
        "step": "0.03",
    }
    assert first == expected
    assert second["step"] == "1"


@pytest.mark.parametrize(
    ("setting", "value", "selected"),
    [
        (None, "'hook'", "hook"),
        ("hook", "'hook'", "hook"),
        ("2", "2", "2"),
        ("0.5", "0.5", "0.5"),
        ("3", "'hook'", "hook"),
        (HOSTILE, "'hook'", "hook"),
    ],
)
def test_a_setting_that_is_no_option_is_the_first(run, setting, value, selected):
    result = run(CHOICE, {} if setting is None else {"variant": setting})

    assert printed(result) == f"{value}\n"
    options = map(attributes, find(result["controls"], "option"))
    assert [each["value"] for each in options if "selected" in each] == [selected]


def test_controls_show_numbers_as_the_language_writes_them(run):
    source = SLIDER + '\nfrom gradvalve.live import choice\nchoice("rate", [0.001, 0.00001])'

    result = run(source, {"s": "-0.25"}, decimal=",")

    assert text_of(find(result["controls"], "output")) == "−0,25"
    assert text_of(find(result["controls"], "option")) == "0,0011e−5"
    assert attributes(find(result["controls"], "option")[0])["value"] == "0.001"


FOUR = "expected low <= value <= high and 0 < step <= high - low, not value"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("slider(3, 0, 0, 1)", "TypeError: slider 3: expected a text as name, not 3"),
        ("slider('s', '1', 0, 1)", "TypeError: slider 's': expected a number, not '1'"),
        ("slider('s', 0, 0, True)", "TypeError: slider 's': expected a number, not True"),
        ("slider('s', float('nan'), 0, 1)", "TypeError: slider 's': expected a number, not nan"),
        ("slider('s', 0, 0, float('inf'))", "TypeError: slider 's': expected a number, not inf"),
        ("slider('s', 2, 0, 1)", f"ValueError: slider 's': {FOUR} 2, low 0, high 1 and step 0.01"),
        ("slider('s', 0, 0, 0)", f"ValueError: slider 's': {FOUR} 0, low 0, high 0 and step 0.0"),
        ("slider('s', 0, 0, 1, 0)", f"ValueError: slider 's': {FOUR} 0, low 0, high 1 and step 0"),
        ("slider('s', 0, 0, 1, 2)", f"ValueError: slider 's': {FOUR} 0, low 0, high 1 and step 2"),
        ("choice('c', 'ab')", "TypeError: choice 'c': expected a list as options, not 'ab'"),
        (
            "choice('c', [])",
            "ValueError: choice 'c': expected a list of 1 to 1000 as options, not of 0",
        ),
        (
            "choice('c', [[1]])",
            "TypeError: choice 'c': expected a text or number as option, not [1]",
        ),
        (
            "choice('c', ['1', 1])",
            "ValueError: choice 'c': expected options that differ, not ['1', 1]",
        ),
        (
            "slider('s', 0, 0, 1); choice('s', ['a'])",
            "ValueError: expected controls of different names, not 's' twice",
        ),
        (
            "plot([1], [('a', [1])], kind='pie')",
            'ValueError: plot: expected "lines", "bars" or "stacked" as kind of a chart, '
            "not 'pie'",
        ),
        (
            "plot([1], [('a', [1])], kind='stacked', logarithmic=True)",
            'ValueError: plot: expected "lines" or "bars" as kind of a logarithmic chart, '
            "not 'stacked'",
        ),
        ("plot(3, [])", "TypeError: plot: expected a list as x, not 3"),
        ("plot([], [])", "ValueError: plot: expected a list of 1 to 1000 as x, not of 0"),
        ("plot(['a', 1], [])", "TypeError: plot: expected a number or text as x, not 'a'"),
        ("plot([float('inf')], [])", "TypeError: plot: expected a number or text as x, not inf"),
        ("plot([1], [])", "ValueError: plot: expected a list of 1 to 12 as series, not of 0"),
        (
            "plot([1], [('a', [1])] * 13)",
            "ValueError: plot: expected a list of 1 to 12 as series, not of 13",
        ),
        (
            "plot([1], ['ab', [1]])",
            "TypeError: plot: expected a pair (name, values) as series, not 'ab'",
        ),
        ("plot([1], [(1, [1])])", "TypeError: plot: series 1: expected a text as name, not 1"),
        ("plot([1], [('a', 1)])", "TypeError: plot: series 'a': expected a list as values, not 1"),
        (
            "plot([1], [('a', ['1'])])",
            "TypeError: plot: series 'a': expected a number or None as value, not '1'",
        ),
        (
            "plot([1, 2], [('a', [1])])",
            "ValueError: plot: series 'a': expected 2 values, one for each x, not 1",
        ),
        ("plot([1], [('a', [1])], title=3)", "TypeError: plot: expected a text as title, not 3"),
        ("plot([1], [('a', [1])], x_title=3)", "TypeError: plot: expected a text as title, not 3"),
        ("table('ab', [])", "TypeError: table: expected a list as header, not 'ab'"),
        ("table([1], [[1]])", "TypeError: table: expected a text as header, not 1"),
        ("table(['a'], [])", "ValueError: table: expected a list of 1 to 1000 as rows, not of 0"),
        ("table(['a'], [1])", "TypeError: table: expected a list as row, not 1"),
        (
            "table(['a'], [[1, 2]])",
            "ValueError: table: expected 1 cells, as in the header, not [1, 2]",
        ),
        (
            "table(['a'], [[[]]])",
            "TypeError: table: expected a text, number or None as cell, not []",
        ),
        ("show(3, [])", "TypeError: loss: expected nodes, not [3]"),
    ],
)
def test_errors_name_what_is_wrong_and_what_would_be_right(run, call, message):
    result = run(f"from gradvalve.live import *\n{call}")

    assert last_line(result) == message


def test_what_an_error_quotes_is_cut(run):
    result = run("from gradvalve.live import plot\nplot('x' * 10000, [])")

    assert last_line(result).endswith("xxx...")
    assert len(last_line(result)) < 130


# Labels.

EVERYTHING = """
from gradvalve.graph import variable
from gradvalve.live import choice, plot, show, slider, table

slider("a slider", 0, 0, 1)
slider("s", 0, 0, 1)
choice("a choice", ["an option", "h₀", 1])
series = [("a series", [1, 2]), ("w₁", [3, 4])]
plot(["a category", "h₁"], series, "bars", "a chart", "an x", "the y")
table(["a header", "K"], [["a cell", 2], ["a header", None]])
x = variable("x", 2)
show((x * x).named("loss"), [x], title="a graph")
print("a print")
"""
LABELS = "a slider,a choice,an option,a category,a series,a chart,an x,the y".split(",")
LABELS += "a header,a cell,a graph".split(",")


def test_every_text_that_needs_a_label_and_has_none_is_missing_once(run):
    assert sorted(run(EVERYTHING, labels={})["missing"]) == sorted(LABELS)


def test_english_misses_nothing(run):
    assert run(EVERYTHING, labels=None)["missing"] == []


def test_labels_are_shown_instead_of_english(run):
    labels = {text: f"ترجمة {i}" for i, text in enumerate(LABELS)}

    result = run(EVERYTHING, labels=labels, decimal=",")

    assert result["missing"] == []
    shown = text_of([result["controls"], result["output"]])
    for text, label in labels.items():
        assert label in shown
        assert text not in shown
    assert "h₁" in shown
    assert printed(result) == "a print\n"


def test_a_label_may_translate_what_needs_none(run):
    result = run(EVERYTHING, labels={"s": "Skala", "loss": "Verlust"})

    assert text_of(find(result["controls"], "span")) == "a sliderSkalaa choice"
    assert "Verlust" in str(find(result["output"], "gv-picture"))


def test_settings_are_found_by_the_english_name(run):
    result = run(SLIDER, {"s": "2"}, labels={"s": "Skala"})

    assert printed(result) == "2.0\n"


def test_words_for_pictures_come_in_the_language(run):
    words = {"lines": "Liniendiagramm.", "point": "{y} bei {x}"}
    source = 'from gradvalve.live import plot\nplot([0, 0.5], [("a", [1, -2.5])])'

    (picture,) = find(run(source, words=words, decimal=",")["output"], "gv-picture")

    assert attributes(picture)["aria-label"] == "Liniendiagramm. a: 1 bei 0, −2,5 bei 0,5."


HOSTILE_EXAMPLE = f"""
from gradvalve.graph import variable
from gradvalve.live import choice, plot, show, slider, table

text = {HOSTILE!r}
slider(text, 0, 0, 1)
choice("c", [text])
plot([text], [(text, [1]), ("b", [2])], "bars", text, text, text)
table([text], [[text]])
x = variable(text, 2)
show((x * x).named(text), [x], title=text)
print(text)
"""


@pytest.mark.parametrize("labels", [None, {}, {HOSTILE: HOSTILE + "translated"}])
def test_hostile_texts_stay_text(run, labels):  # `run` also looks at each tag and attribute
    result = run(HOSTILE_EXAMPLE, labels=labels)

    assert result["error"] is None
    assert text_of([result["controls"], result["output"]]).count("alert(1)") >= 10


# Output.


def test_output_stands_in_the_order_in_which_it_was_made(run):
    source = """
from gradvalve.live import table
print("a", 1, 0.5, None, sep="-", end="|")
print()
table(["n"], [[1]])
print("b")
print("c")
"""

    output = run(source)["output"]

    assert [tree[0] for tree in output] == ["pre", "table", "pre"]
    assert [text_of(tree) for tree in output] == ["a-1-0.5-None|\n", "n1", "b\nc\n"]


def test_printed_numbers_are_the_same_in_all_languages(run):
    assert printed(run("print(0.5, -1.0)", decimal=",")) == "0.5 -1.0\n"


def test_tables_show_numbers_as_the_language_writes_them(run):
    source = """
from gradvalve.live import table
table(["n"], [[-0.5], [12.0], [1 / 3], [0.000012], [None], [float("inf")], ["h₀"]])
"""

    cells = find(run(source, decimal=",")["output"], "td")

    assert [text_of(cell) for cell in cells] == "−0,5 12 0,333 1,2e−5 None ∞ h₀".split()


def test_more_than_ten_thousand_characters_are_cut_and_an_error(run):
    result = run("for i in range(9999):\n    print('abcd')")

    assert len(printed(result)) == 10_000
    assert last_line(result) == "RuntimeError: print: expected at most 10000 characters in all"


def test_an_example_that_catches_the_error_prints_no_more_either(run):
    source = """
for i in range(9999):
    try:
        print("abcd")
    except RuntimeError:
        pass
"""

    result = run(source)

    assert len(printed(result)) == 10_000
    assert result["error"] is None


def test_more_than_thirty_outputs_are_an_error(run):
    result = run("from gradvalve.live import table\nwhile True:\n    table(['n'], [[1]])")

    assert len(result["output"]) == 30
    assert last_line(result) == "RuntimeError: expected at most 30 outputs"


def test_more_than_thirty_controls_are_an_error(run):
    source = "from gradvalve.live import slider\nfor i in range(99):\n    slider(f's{i}', 0, 0, 1)"

    result = run(source)

    assert len(result["controls"]) == 30
    assert last_line(result) == "RuntimeError: expected at most 30 controls"


# Errors.


def test_an_error_shows_the_lines_of_the_example_only(run):
    source = """from gradvalve.graph import exp

def f(x):
    return exp(x, 2)

print("before")
f(1)
print("after")
"""

    result = run(source)

    assert result["error"].split("\n") == [
        'File "example", line 7, in <module>',
        'File "example", line 4, in f',
        "TypeError: exp: expected 1 inputs, not 2",
    ]
    assert printed(result) == "before\n"


def test_a_chained_error_shows_the_last_one(run):
    source = "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise ValueError('second')"

    assert run(source)["error"] == 'File "example", line 4, in <module>\nValueError: second'


def test_a_syntax_error_shows_its_line(micropython):
    texts = {"labels": None, "words": {}, "decimal": "."}
    request = ["x = 1\ny = (2,\n!", {}, texts]

    for result in (live.run(*request), micropython(*request)):  # their messages differ
        *frames, message = result["error"].split("\n")
        assert [frame.split(",")[0] for frame in frames] == ['File "example"']
        assert message.startswith("SyntaxError: ")
        assert "(example" not in message


def test_a_recursion_without_end_shows_a_few_lines(micropython):
    request = ["def f(x):\n    return f(x) + 1\n\nf(1)", {}, {"labels": None, "decimal": "."}]

    for result in (live.run(*request), micropython(*request)):  # their limits differ
        lines = result["error"].split("\n")
        assert len(lines) <= 10
        assert lines[0] == 'File "example", line 4, in <module>'
        assert "recursion" in lines[-1]


def test_errors_without_a_message_and_exits_are_shown(run):
    assert last_line(run("raise ValueError")) == "ValueError"
    assert last_line(run("raise SystemExit")) == "SystemExit"


def test_an_interruption_of_the_build_is_not_the_examples_error():
    texts = {"labels": None, "words": {}, "decimal": "."}

    with pytest.raises(KeyboardInterrupt):
        live.run("raise KeyboardInterrupt", {}, texts)


# Runs.


def test_no_run_sees_another(run):
    source = """
from gradvalve.graph import constant
from gradvalve.live import slider
print(constant(1).name, slider("s", 0, 0, 1), __name__)
"""
    run(source + "leftover = constant(2)\nslider('t', 0, 0, 1)\nraise ValueError")

    result = run(source + "print('leftover' in globals())")

    assert printed(result) == "constant_1 0.0 __main__\nFalse\n"
    assert len(result["controls"]) == 1


def test_as_a_program_an_example_takes_its_defaults_and_prints_what_it_shows(tmp_path):
    file = tmp_path / "example.py"
    file.write_text(EVERYTHING + 'print(slider("s", 0.5, 0, 1), choice("c", ["a", "b"]))\n')

    done = subprocess.run([sys.executable, file], capture_output=True, text=True, encoding="utf-8")

    assert done.stderr == ""
    chart, *rows, graph, text, defaults = done.stdout.splitlines()
    assert chart == "Bar chart. a series: 1 at a category, 2 at h₁. w₁: 3 at a category, 4 at h₁."
    assert rows == ["a header | K", "a cell | 2", "a header | None"]
    assert "loss" in graph
    assert text == "a print"
    assert defaults == "0.5 a"
