from gradvalve.graph import evaluate, gradients, stop_gradient, variable
from gradvalve.live import choice, plot, slider

target = choice("target", ["not stopped", "stopped", "target network"])
p = slider("probability p of B after A", 0.5, 0.2, 1, 0.1)
period = 1
if target == "target network":
    period = slider("steps between updates (N)", 10, 1, 20, 1)

a, b, old_b = variable("A", 0), variable("B", 0), variable("old B", 0)
options = {"not stopped": b, "stopped": stop_gradient(b), "target network": old_b}
loss = p * ((options[target] - a) ** 2 + (1 - b) ** 2)  # A leads to B; B gives 1
loss = loss + (1 - p) * (0 - a) ** 2  # or A ends
slopes = gradients(loss, [a, b])

steps = 60
values_a, values_b = [0.0], [0.0]
for step in range(steps):
    if step % period == 0:
        copied = values_b[-1]
    feed = {a: values_a[-1], b: values_b[-1], old_b: copied}
    slope_a, slope_b = evaluate(slopes, feed)
    values_a.append(values_a[-1] - 0.2 * slope_a)
    values_b.append(values_b[-1] - 0.2 * slope_b)

learned = [("A", values_a), ("B", values_b)]
true = [("true A", [p] * len(values_a)), ("true B", [1] * len(values_b))]
plot(list(range(steps + 1)), learned + true, x_title="step", y_title="value")
print("A:", round(values_a[-1], 2))
print("B:", round(values_b[-1], 2))
