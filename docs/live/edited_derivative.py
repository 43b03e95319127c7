from gradvalve.graph import evaluate, gradients, maximum, scale_gradient, variable
from gradvalve.live import plot, slider, table

s = slider("s", 0.5, 0, 2)
x = variable("x", 2)
L = x**2


def follow(name, loss, rate=0.2, limit=99, adam=False):
    slope = -maximum(-limit, -maximum(-limit, gradients(loss, [x])[0]))
    value, gradient, second = evaluate([loss, slope, gradients(slope, [x])[0]])
    difference = (evaluate(loss, {x: 2.01}) - evaluate(loss, {x: 1.99})) / 0.02
    path, mean, square = [2], 0, 0
    for step in range(1, 11):
        g = evaluate(slope, {x: path[-1]})
        if adam:
            mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
            g = mean / (1 - 0.9**step) * (1 - 0.999**step) ** 0.5 / (square**0.5 + 1e-7)
        path.append(path[-1] - rate * g)
    return [name, value, difference, gradient, second, path[-1]], (name, path)


runs = [
    follow("L", L),
    follow("scale_gradient(L, s)", scale_gradient(L, s)),
    follow("scale_gradient(x, s) ** 2", scale_gradient(x, s) ** 2),
    follow("s * L", s * L),
    follow("learning rate × s", L, rate=0.2 * s),
    follow("gradient clipped at 2", L, limit=2),
    follow("Adam", L, adam=True),
    follow("Adam, scale_gradient(L, s)", scale_gradient(L, s), adam=True),
]
plot(list(range(11)), [runs[i][1] for i in (0, 1, 5, 7)], x_title="step", y_title="x")
header = ["variant", "value", "finite difference", "gradient", "second derivative", "last x"]
table(header, [row for row, _ in runs])
