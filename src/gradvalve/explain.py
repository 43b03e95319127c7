"""Find out why a gradient is None in TensorFlow, and which line of the program is the cause.

`explain_gradient(fn, *args)` traces `fn` into a graph and searches it backwards from the result, as
TensorFlow does for a gradient: through functions, branches, loops and Keras layers. What ends the
search is an operation, and TensorFlow has noted down on which line each operation was made.
"""

import functools
import inspect
import linecache
import os
import sysconfig
import textwrap
import traceback
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tensorflow as tf

# Three things that only TensorFlow itself knows: which types have gradients (IsTrainable),
# which rule belongs to an operation, and the paths of the leaves of a nest.
from tensorflow.python.eager.backprop_util import IsTrainable
from tensorflow.python.framework.ops import get_gradient_function
from tensorflow.python.util.nest import flatten_with_tuple_paths

from gradvalve import explain_drawing

__all__ = ["Cause", "Explanation", "InputGradient", "explain_gradient"]

# Operations that run other graphs, and the attributes that name these.
_CALLS = {"PartitionedCall": ["f"], "If": ["then_branch", "else_branch"]}
_CALLS |= {"Case": ["branches"], "While": ["body", "cond"]}
_CALLS |= {"StatefulPartitionedCall": ["f"], "StatelessIf": _CALLS["If"]}
_CALLS |= {"StatelessCase": _CALLS["Case"], "StatelessWhile": _CALLS["While"]}
_COPIES = {"gradvalve_tensorflow.py", "gradvalve_keras.py"}  # as the site offers them
_LIBRARIES = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "purelib", "platlib")})


class Cause(NamedTuple):
    """What hides an input: an operation, why, and the line of the program that made it."""

    operation: str  # its type, as TensorFlow calls it, such as "StopGradient"
    name: str  # its name in the graph, such as "sequential/dense/StopGradient"
    reason: str
    file: str = ""
    line: int = 0
    code: str = ""


class InputGradient(NamedTuple):
    """What becomes of the gradient with respect to one input."""

    name: str  # such as "x", "batch['image']", "sequential/dense/kernel"
    status: str  # "reached", "unused", "hidden", or "unknown" where TensorFlow cannot trace
    causes: tuple[Cause, ...] = ()  # at least one if hidden or unknown


class Explanation(tuple):
    """A tuple with an `InputGradient` for each input; printed, it is a text for readers."""

    _paths = None  # what draw takes, if TensorFlow could trace the function

    def __str__(self):
        return "\n".join(line for row in self for line in _lines(row))

    def svg(self):
        """Return the traced graph as the text of an SVG file, with the explanation to be read out.

        Inputs are on the left, and of the operations those that use one of them; calls, branches
        and loops are one each. Thick lines are the ways of the gradient; on dashed ones none comes.
        Below what hides an input stands its line; it is a shut valve, if it hides all its inputs.

        Raises:
            ValueError: TensorFlow could not trace the function, so there is no graph.
        """
        if self._paths is None:
            raise ValueError("there is no graph to draw, since TensorFlow could not trace fn")
        return explain_drawing.draw(*self._paths, str(self))


def explain_gradient(fn, *args, wrt=None):
    """Say for each input of `fn` whether a gradient comes from the result back to it; if not, why.

    `fn` is traced as `tf.function` does it, but the graph doesn't run. No tape is needed: the
    question is whether a path leads to the input. A tape also has to watch it: it watches trainable
    variables by itself, and nothing that was computed before it was opened.

    Args:
        fn: a function that returns a tensor of any shape, or a nest of them; also a Keras model.
        *args: what to call it with: nests of tensors, arrays, variables and numbers. Tensors,
            variables, arrays and floats are inputs; every other value stays as it is.
        wrt: a tensor or a variable, or a nest of them, if only some are of interest: tensors from
            args, and any variables. By default: all inputs, and all trainable variables that `fn`
            uses.

    Returns:
        An `Explanation`, one `InputGradient` per input. Its status is "reached"; or "unused": the
        result doesn't depend on it; or "hidden": it is used, but every path ends at an operation
        that passes no gradient on. Of the operations along a path, the causes name the one nearest
        to the result. TensorFlow returns None for what is unused or hidden, or 0 where a loop or a
        branch connects it all the same. Where TensorFlow cannot trace `fn`, such as at `.numpy()`,
        `fn` is run under a tape: what has no gradient then is "unknown", with the line.

    Raises:
        TypeError: `fn` returns no tensor.
        ValueError: `wrt` holds something that is neither a variable nor in args.
        What `fn` itself raises.

    Example:
        >>> def loss(x, y):
        ...     return x * tf.round(y)
        >>> [row.status for row in explain_gradient(loss, 2.0, 3.0)]
        ['reached', 'hidden']
    """
    bound = inspect.signature(getattr(fn, "call", fn)).bind(*args)  # of a Keras model, call
    names, values = list(bound.arguments), list(bound.arguments.values())
    given = flatten_with_tuple_paths(values, expand_composites=True)
    leaves = [_input(original) for _, original in given]
    tensors = [leaf for leaf in leaves if isinstance(leaf, tf.Tensor)]

    def run(*tensors):
        remaining = iter(tensors)
        flat = [next(remaining) if isinstance(leaf, tf.Tensor) else leaf for leaf in leaves]
        packed = tf.nest.pack_sequence_as(values, flat, expand_composites=True)
        bound.arguments.update(zip(names, packed, strict=True))
        return fn(*bound.args, **bound.kwargs)

    inputs = [
        (original, names[path[0]] + "".join(f"[{key!r}]" for key in path[1:]), leaf)
        for (path, original), leaf in zip(given, leaves, strict=True)
        if isinstance(leaf, (tf.Tensor, tf.Variable))
    ]

    def wanted(used):
        return _wanted(inputs, _variable_names(fn), used, wrt)

    try:
        graph = tf.function(run).get_concrete_function(*tensors).graph  # AutoGraph converts fn too
    except Exception as error:
        return _explain_by_running(run, tensors, wanted, error)
    places = {id(tensor): place for tensor, place in zip(tensors, graph.inputs, strict=False)}
    places |= {id(handle): place for handle, place in graph.captures}
    inputs = [
        (name, places.get(id(getattr(x, "handle", x))))
        for name, x in wanted(graph.trainable_variables)
    ]
    explain, steps, notes = _search([_spot((), tensor) for tensor in graph.outputs])
    explanation = Explanation(explain(*each) for each in inputs)
    operations = [(name, tensor is not None and tensor.op) for name, tensor in inputs]
    explanation._paths = operations, steps, notes()
    return explanation


def _input(leaf):
    """Return a leaf of args as the tensor or variable that it stands for, or else as it is."""
    if isinstance(leaf, (float, np.ndarray, np.generic, tf.Tensor)):
        return tf.identity(leaf)  # another one each time, also if one is given twice
    # A variable of Keras holds one of TensorFlow.
    return leaf.value if isinstance(getattr(leaf, "value", None), tf.Variable) else leaf


def _variable_names(fn):
    """Return by id the names by which `fn` knows variables; their own is mostly "Variable"."""
    fn = inspect.unwrap(fn)
    if not inspect.isfunction(fn):
        return {}
    known = fn.__globals__ | inspect.getclosurevars(fn).nonlocals
    return {id(x): name for name, x in known.items() if isinstance(x, tf.Variable)}


def _wanted(inputs, variable_names, used, wrt):
    """Return pairs of name and tensor or variable, about which the caller wants to know."""

    def named(variable):
        return variable_names.get(id(variable), variable.name.removesuffix(":0")), variable

    if wrt is None:
        leaves = {id(leaf) for *_, leaf in inputs}
        return [pair for _, *pair in inputs] + [named(x) for x in used if id(x) not in leaves]
    pairs = []
    for original in tf.nest.flatten(wrt, expand_composites=True):
        found = [pair for given, *pair in inputs if given is original]
        x = _input(original)
        if not found and not isinstance(x, tf.Variable):
            raise ValueError(
                "wrt must hold variables, and tensors that are among the arguments of fn, "
                f"but holds another object of type {type(original).__name__}"
            )
        pairs += found or [named(x)]
    return pairs


def _explain_by_running(run, tensors, wanted, error):
    """Say what a tape finds, since tracing failed: perhaps because of the line that it shows."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x for _, x in wanted([]) if IsTrainable(x.dtype)])
        result = run(*tensors)  # if it is fn that fails, this raises its own error
    results = [x for x in tf.nest.flatten(result) if tf.is_tensor(x) and IsTrainable(x.dtype)]
    metadata = getattr(error, "ag_error_metadata", None)
    if metadata:  # AutoGraph knows the positions in the source that it converted
        frames = [(frame.filename, frame.lineno) for frame in metadata.translated_stack[::-1]]
    else:
        frames = [frame[:2] for frame in traceback.extract_tb(error.__traceback__)]
    message = str(error).strip().splitlines()[-1].strip()
    cause = Cause("", "", f"since tracing ended with {message}", *_place(frames))
    rows = []
    for name, x in wanted(tape.watched_variables()):
        found = results and IsTrainable(x.dtype) and tape.gradient(results, x) is not None
        rows.append(InputGradient(name, *(["reached"] if found else ["unknown", (cause,)])))
    return Explanation(rows)


class _Spot(NamedTuple):
    """A tensor in a graph: the calls that lead into the graph, the operation, which result."""

    calls: tuple  # of pairs (operation, graph)
    operation: tf.Operation
    index: int

    @property
    def dtype(self):
        return self.operation.outputs[self.index].dtype


def _spot(calls, tensor):
    return _Spot(calls, tensor.op, tensor.value_index)


def _search(results):
    """Search backwards from the results.

    Return a function that explains one input, and what draw takes: steps, and a function that
    returns the notes at the operations that hide what has been explained until then.
    """
    if not results:
        raise TypeError("fn must return a tensor or a nest of tensors, but returns none")
    sources, users, ends, hiding = {}, defaultdict(list), [], {}
    steps, outer = defaultdict(dict), defaultdict(set)  # outer: the operations that run a graph
    reasons = functools.cache(_reasons)

    def look(spot):
        sources[spot] = list(_sources(spot))
        outer[spot.operation.graph].add(spot.calls[0][0] if spot.calls else None)
        for source, operation, _ in sources[spot]:
            users[source].append(spot)
            if not source.calls:
                steps[operation].setdefault(source.operation, False)
                if operation.type == "StopGradient":  # drawn as such, whatever it hides
                    hiding[operation] = ""
        return [source for source, *_ in sources[spot]]

    def follow_gradient(spot):
        found = []
        for source, operation, end in sources[spot]:
            reason = reasons(operation)[end] if isinstance(end, int) else end
            if reason or not IsTrainable(source.dtype):
                ends.append((source, operation, reason))
            else:
                found.append(source)
                if not source.calls:
                    steps[operation][source.operation] = True
        return found

    _closure(results, look)
    reached = _closure([spot for spot in results if IsTrainable(spot.dtype)], follow_gradient)
    ends += [(spot, None, "") for spot in results if not IsTrainable(spot.dtype)]
    for spot in results:
        steps[None][spot.operation] = spot in reached or steps[None].get(spot.operation, False)

    def explain(name, tensor):
        spot = None if tensor is None else _spot((), tensor)
        if spot in reached:
            return InputGradient(name, "reached")
        if spot not in sources:
            return InputGradient(name, "unused")
        found = _hiding(spot, sources, users, ends)
        hiding.update(found)
        causes = tuple(sorted(map(_cause, found, found.values()), key=lambda cause: cause[3:]))
        if not IsTrainable(spot.dtype):
            causes = (Cause(spot.dtype.name, "", "a type without gradients"),)
        return InputGradient(name, "hidden", causes)

    def notes():
        found = defaultdict(list)
        for operation in hiding:
            for call in outer[operation.graph]:
                line = _cause(operation, "").line
                note = operation.type + (f", line {line}" if line else "")
                found[call or operation].append(note)
        return found

    return explain, steps, notes


def _closure(starts, following):
    """Return the starts, what follows them, what follows that, and so on; each visited once."""
    found, stack = set(), list(starts)
    while stack:
        spot = stack.pop()
        if spot not in found:
            found.add(spot)
            stack += following(spot)
    return found


def _sources(spot):
    """Yield from what a tensor was computed: spot, operation between, and how the gradient ends.

    The latter is a reason, "" if it goes on, or the number of an input, for which the rule decides.
    """
    calls, operation, index = spot
    if operation.type == "Placeholder" and calls:
        yield from _outer_sources(spot)
    elif operation.type not in _CALLS:
        for i, tensor in enumerate(operation.inputs):
            yield _spot(calls, tensor), operation, i
        # What was written into a variable before it was read.
        for writer in operation.control_inputs if operation.type == "ReadVariableOp" else []:
            for tensor in writer.inputs[1:] if writer.type.startswith("Assign") else []:
                yield _spot(calls, tensor), writer, "which stores a value without its gradient"
    else:
        graphs = _graphs(operation)
        if "While" in operation.type:
            yield _spot(calls, operation.inputs[index]), operation, ""  # if there is no round
            condition = graphs.pop()
            inside = (*calls, (operation, condition))
            yield _spot(inside, condition.outputs[0]), operation, "which ends the loop"
        elif len(graphs) > 1:
            yield _spot(calls, operation.inputs[0]), operation, "which only chooses a branch"
        for graph in graphs:
            yield _spot((*calls, (operation, graph)), graph.outputs[index]), operation, ""


def _outer_sources(spot):
    """Yield the sources of an input of an inner graph."""
    *calls, (operation, graph) = spot.calls
    places = [i for i, tensor in enumerate(graph.inputs) if tensor.op is spot.operation]
    for i in places:
        first = len(operation.inputs) - len(graph.inputs)  # 1 in branches: the condition is before
        yield _spot(tuple(calls), operation.inputs[first + i]), operation, ""
        if "While" in operation.type:  # the round before
            body, _ = _graphs(operation)
            yield _spot((*calls, (operation, body)), body.outputs[i]), operation, ""


def _graphs(operation):
    functions = [operation.get_attr(name) for name in _CALLS[operation.type]]
    if "Case" in operation.type:
        (functions,) = functions
    return [operation.graph._get_function(function.name).graph for function in functions]


def _reasons(operation):
    """Return for each input why the operation passes no gradient on to it, "" where it does."""

    def always(reason):
        return [reason] * len(operation.inputs)

    if operation.type == "StopGradient":
        return always("which hides its input")
    try:
        rule = get_gradient_function(operation)
        if rule is None:
            return always("which has no gradient")
        # In a graph of its own, so that nothing is added to that of the caller.
        with tf.__internal__.FuncGraph("gradient").as_default():
            flows = [tf.zeros_like(y) if IsTrainable(y) else None for y in operation.outputs]
            gradients = rule(operation, *flows)
    except LookupError as error:
        message = textwrap.shorten(str(error), 100)
        return always(f"for which TensorFlow raises LookupError: {message}")
    if not isinstance(gradients, (list, tuple)):
        gradients = [gradients]
    if all(each is None for each in gradients):
        return always("which has no gradient")
    return ["which has none for this input" if each is None else "" for each in gradients]


def _hiding(spot, sources, users, ends):
    """Return by operation why it hides an input: of those on a path, the nearest to the result."""
    using, found = _closure([spot], lambda each: users[each]), {}

    def descend(typed):
        """From a tensor whose type has no gradient go back to the operation that made the type."""
        reason = f"whose result has a type without gradients, {typed.dtype.name}"
        behind = [(source, operation) for source, operation, _ in sources[typed] if source in using]
        found.update((operation, reason) for x, operation in behind if IsTrainable(x.dtype))
        return [x for x, _ in behind if not IsTrainable(x.dtype)]

    ends = [end for end in ends if end[0] in using]
    found.update((operation, reason) for x, operation, reason in ends if IsTrainable(x.dtype))
    _closure([x for x, *_ in ends if not IsTrainable(x.dtype)], descend)
    return found


def _cause(operation, reason):
    place = _place(frame[:2] for frame in operation.traceback or [])
    return Cause(operation.type, operation.name, reason, *place)


def _place(frames):
    """Return file, line and code of the last of the frames that is in the reader's own program."""
    own = [(file, line) for file, line in frames if not _is_library(file)]
    if not own:
        return ()
    file, line = own[-1]
    return file, line, linecache.getline(file, line).strip()


def _is_library(file):
    own = Path(__file__).parent in Path(file).parents or Path(file).name in _COPIES
    return own or file.startswith((*_LIBRARIES, "<frozen"))


def _lines(row):
    """Yield what is printed for one input."""
    start = f"{row.name}: {row.status}"
    if not row.causes:
        yield start
    for cause in row.causes:
        place = f" ({cause.name})" if "/" in cause.name else ""  # it names the Keras layer
        by = f" by {cause.operation}{place}" if cause.operation else ""
        yield f"{start}{by}, {cause.reason}"
        start = "  and"
        if cause.file:
            file = min(cause.file, os.path.relpath(cause.file), key=len)
            yield f"    {file}:{cause.line}    {cause.code}"
