from gradvalve.graph import evaluate, gradients, stop_gradient, variable
from gradvalve.live import choice, plot

stopped = choice("stop", ["target", "prediction", "neither"])
predictions, targets = [0.0], [4.0]
for _ in range(20):
    p, t = variable("p", predictions[-1]), variable("t", targets[-1])
    reaches_p = stop_gradient(p) if stopped == "prediction" else p
    reaches_t = stop_gradient(t) if stopped == "target" else t
    loss = (reaches_p - reaches_t) ** 2
    dp, dt = evaluate(gradients(loss, [p, t]))
    predictions.append(predictions[-1] - 0.1 * (dp or 0))  # None: it stays
    targets.append(targets[-1] - 0.1 * (dt or 0))

steps = list(range(len(targets)))
plot(steps, [("prediction", predictions), ("target", targets)], x_title="step")
print("prediction:", round(predictions[-1], 2))
print("target:", round(targets[-1], 2))
