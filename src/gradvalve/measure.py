"""Measure gradients as plain numbers, and draw them.

`gradient_norms(loss, weights)` tells how large the gradient is that arrives at each weight,
`step_gradient_norms(loss, weights, steps)` what each step of an unrolled model contributes to it.
Both need TensorFlow. `line_figure`, `bar_figure` and `slider_figure` need Plotly.
"""

import re

__all__ = [
    "bar_figure",
    "gradient_norms",
    "line_figure",
    "slider_figure",
    "step_gradient_norms",
    "texts",
    "translated",
    "use_labels",
]

# Told apart by everyone: in hue, in lightness, and lines in their dashes.
COLORS = ["#b8370b", "#1f7fb8", "#1b222a", "#878c90"]
DASHES = ["solid", "dash", "dot", "dashdot"]
# The properties of a figure that are shown as text; its other strings are settings.
TEXTS = {"hovertemplate", "labels", "name", "prefix", "suffix", "text", "ticktext", "x", "y"}
WORD = re.compile("[A-Za-z]{2}")  # without a word in it, such as "w₁" or "K = ", a text is no label
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
LEFT_TO_RIGHT = re.compile("[A-Za-z0-9](?:[^\u0590-\u08ff()]*[A-Za-z0-9])?")

_language = {"labels": None, "separators": ".,"}


def gradient_norms(loss, weights):
    """Return how large the gradient of the loss is with respect to each weight.

    Args:
        loss: a function that takes `weights` and returns a scalar tensor.
        weights: a dict of real tensors or variables of any shape, by name.

    Returns:
        A dict with the same names. The values are floats, the Euclidean norms of the gradients
        computed in float64, or None where no path leads from the weight to the loss.

    Raises:
        TypeError: `loss` is not a function, or `weights` is not a dict of real tensors.
        ValueError: `weights` is empty, or `loss` doesn't return a scalar tensor.

    Example:
        >>> gradient_norms(lambda weights: 3 * weights["w"] ** 2, {"w": tf.constant(2.0)})
        {'w': 12.0}
    """
    return {name: norm for name, (norm,) in _norms(loss, weights, None).items()}


def step_gradient_norms(loss, weights, steps):
    """Return how large the part of the gradient is that each unrolled step contributes.

    An unrolled model uses the same weights at each step. Here each step gets a copy of its own;
    the gradients of all copies together are the gradient of the weights.

    Args:
        loss: a function that takes a list of `steps` dicts, the weights of each step, and returns
            a scalar tensor.
        weights: a dict of real tensors or variables of any shape, by name.
        steps: the number of steps, at least 1.

    Returns:
        A dict with the same names. The values are lists of `steps` norms, the first step first,
        each as `gradient_norms` returns it.

    Raises:
        TypeError, ValueError: as `gradient_norms`, or `steps` is not an integer above 0.

    Example:
        >>> loss = lambda steps: steps[0]["w"] + 2 * steps[1]["w"]
        >>> step_gradient_norms(loss, {"w": tf.constant(1.0)}, steps=2)
        {'w': [1.0, 2.0]}
    """
    if type(steps) is not int:
        raise TypeError(f"steps must be an integer above 0, but is {steps!r}")
    if steps < 1:
        raise ValueError(f"steps must be an integer above 0, but is {steps}")
    return _norms(loss, weights, steps)


def line_figure(series, x_title, y_title, logarithmic=False):
    """Return a Plotly figure with a line for each series.

    Args:
        series: a dict of dicts, {name: {x: y}}. A y of None leaves a gap.
        x_title, y_title: what stands at the axes.
        logarithmic: whether the y axis is; then every y is above 0.

    Raises:
        ValueError: `series` is empty, or a y is not above 0 on a logarithmic axis.
        LookupError: the labels given to `use_labels` lack a text of the figure.
    """
    return _figure(_lines(series), series, x_title, y_title, logarithmic)


def bar_figure(series, x_title, y_title, logarithmic=False):
    """Return a Plotly figure with a group of bars for each x: see `line_figure`."""
    traces = [{"type": "bar"} | trace for trace in _traces(series)]
    return _figure(traces, series, x_title, y_title, logarithmic)


def slider_figure(states, prefix, x_title, y_title, logarithmic=False):
    """Return a Plotly figure with lines and a slider that chooses the series.

    Args:
        states: a dict {slider value: series}, each series as for `line_figure`, all with the same
            names. The figure begins with the last one.
        prefix: what stands before the value at the slider, such as "K = ".
        x_title, y_title, logarithmic: as for `line_figure`.

    Raises:
        ValueError, LookupError: as `line_figure`, or the names differ between states.
    """
    if len({tuple(series) for series in states.values()}) != 1:
        raise ValueError("states must be series with the same names in the same order")
    steps = []
    for value, series in states.items():
        traces = _traces(series)
        data = {axis: [trace[axis] for trace in traces] for axis in ("x", "y")}
        steps.append({"label": str(value), "method": "restyle", "args": [data]})
    slider = {
        "active": len(steps) - 1,
        "currentvalue": {"prefix": prefix},
        "pad": {"t": 50},
        "steps": steps,
    }
    everything = {(value, name): y for value in states for name, y in states[value].items()}
    last = list(states.values())[-1]
    return _figure(_lines(last), everything, x_title, y_title, logarithmic, sliders=[slider])


def use_labels(labels, separators=".,"):
    """Draw figures in another language from now on.

    Args:
        labels: a dict {English text: translation}, or None for English.
        separators: the decimal separator, and the one between thousands.
    """
    _language.update(labels=labels, separators=separators)


def texts(figure):
    """Return the set of the texts with words in a figure, a dict as Plotly's JSON."""
    found = set()
    _with_texts(figure, lambda text: found.add(text) or text)
    return found


def translated(figure, labels, separators=".,"):
    """Return a copy of the figure, a dict as Plotly's JSON, in another language.

    Args:
        figure: a dict with `data` and `layout`.
        labels, separators: as for `use_labels`.

    Raises:
        LookupError: `labels` lacks a text of the figure.
    """

    def translation(text):
        if text not in labels:
            raise LookupError(f"the label '{text}' has no translation")
        if not RIGHT_TO_LEFT.search(labels[text]):
            return labels[text]
        # Isolated, and so is what is Latin in it: otherwise 1/K would be shown as K/1.
        isolated = LEFT_TO_RIGHT.sub("\u2066\\g<0>\u2069", labels[text])
        return f"\u2067{isolated}\u2069"

    figure = figure | {"layout": figure["layout"] | {"separators": separators}}
    return figure if labels is None else _with_texts(figure, translation)


def _norms(loss, weights, steps):
    import tensorflow as tf  # here, because figures do without

    _check(loss, weights)
    with tf.GradientTape() as tape:
        tape.watch(weights)
        copies = [{name: tf.identity(weights[name]) for name in weights} for _ in range(steps or 0)]
        value = loss(copies if steps else weights)
    if not tf.is_tensor(value) or value.shape.rank != 0:
        raise ValueError(f"loss must return a scalar tensor, but returned {value!r}")
    gradients = tape.gradient(value, copies or [weights])
    return {name: [_norm(gradient[name]) for gradient in gradients] for name in weights}


def _check(loss, weights):
    if not callable(loss):
        raise TypeError(f"loss must be a function of the weights, but is {loss!r}")
    if not isinstance(weights, dict):
        raise TypeError(f"weights must be a dict of tensors by name, but is {weights!r}")
    if not weights:
        raise ValueError("weights must hold at least one tensor, but is empty")
    for name, weight in weights.items():
        if not getattr(getattr(weight, "dtype", None), "is_floating", False):
            raise TypeError(f"weights[{name!r}] must be a real tensor, but is {weight!r}")


def _norm(gradient):
    import tensorflow as tf

    if gradient is None:
        return None
    return float(tf.norm(tf.cast(tf.convert_to_tensor(gradient), tf.float64)))


def _traces(series):
    if not series:
        raise ValueError("series must hold at least one {x: y}, but is empty")
    return [{"name": name, "x": list(ys), "y": list(ys.values())} for name, ys in series.items()]


def _lines(series):
    style = {"type": "scatter", "mode": "lines+markers", "marker": {"size": 5}}
    return [
        style | trace | {"line": {"dash": DASHES[i % len(DASHES)]}}
        for i, trace in enumerate(_traces(series))
    ]


def _figure(traces, series, x_title, y_title, logarithmic, **layout):
    from plotly.graph_objects import Figure

    for name, ys in series.items():
        if logarithmic and any(y is not None and y <= 0 for y in ys.values()):
            raise ValueError(f"a logarithmic axis needs y above 0, but {name!r} holds {ys}")
    layout |= {
        "colorway": COLORS,
        "hoverlabel": {"namelength": -1},
        "hovermode": "x unified",
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "margin": {"t": 20, "r": 20, "b": 50, "l": 60},
        "showlegend": True,
        "template": "none",
        "xaxis": {"title": {"text": x_title}},
        "yaxis": {"title": {"text": y_title}, "hoverformat": ".4~r"},
    }
    if logarithmic:
        layout["yaxis"] |= {"type": "log", "dtick": "D2"}  # 1, 2, 5, 10, …
    return Figure(translated({"data": traces, "layout": layout}, **_language))


def _with_texts(value, change, shown=False):
    """Return a copy of a part of a figure with `change` applied to the texts with words in it."""
    if isinstance(value, dict):
        return {key: _with_texts(part, change, key in TEXTS) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_texts(part, change, shown) for part in value]
    return change(value) if shown and isinstance(value, str) and WORD.search(value) else value
