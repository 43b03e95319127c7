from gradvalve import graph
from gradvalve.live import choice, plot, show, slider

second = slider("second entry", 3, 1, 5, 0.5)
added = slider("added to all entries", 0, 0, 800, 10)
x = graph.variable("x", [3 + added, second + added, 1 + added])
largest = graph.reduce_max(x)
stopped = graph.stop_gradient(largest)


def log_sum_exp(outer, inner):
    total = graph.reduce_sum(graph.exp(x - inner))
    return (outer + graph.log(total)).named("result")


results = [
    ("both", log_sum_exp(stopped, stopped)),
    ("neither", log_sum_exp(largest, largest)),
    ("only outer", log_sum_exp(stopped, largest)),
    ("only inner", log_sum_exp(largest, stopped)),
    ("no maximum", log_sum_exp(0, 0)),
]
names = [name for name, _ in results]
rows = graph.evaluate([graph.gradients(result, [x])[0] for _, result in results])
bars = [(f"x{index}", [row[i] for row in rows]) for i, index in enumerate("₁₂₃")]
plot(names, bars, kind="bars", x_title="stopped maximum", y_title="gradient")
drawn = choice("graph", names)
show(results[names.index(drawn)][1], [x])
