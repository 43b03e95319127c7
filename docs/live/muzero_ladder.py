from gradvalve.graph import evaluate, gradients, scale_gradient, variable
from gradvalve.live import choice, plot, slider

placement = choice("placement of s", ["pseudocode", "paper's text", "hook"])
losses_scaled = choice("scale of the unrolled losses", ["1/K", "1"])
K = int(slider("K", 5, 1, 10, 1))
s = slider("s", 0.5, 0, 1, 0.05)
c = 1 / K if losses_scaled == "1/K" else 1

w = variable("w", 1)  # the weight of the dynamics function, shared by all steps
h = variable("h_0", 0)  # what the representation network returns
states, losses = [h], [h]  # each prediction head has slope 1
for _ in range(K):
    if placement == "paper's text":
        h = scale_gradient(h, s)
    h = h + w  # recurrent_inference
    states.append(h)
    if placement == "hook":
        h = scale_gradient(h, s)
    losses.append(scale_gradient(h, c))
    if placement == "pseudocode":
        h = scale_gradient(h, s)

bars = []
for j, loss in enumerate(losses):
    bars.append((f"j = {j}", evaluate(gradients(loss, states))))
plot(list(range(K + 1)), bars, "stacked", x_title="state k", y_title="gradient, by loss j")
on_w, on_root = evaluate(gradients(sum(losses), [w, states[0]]))
print("gradient at w:", on_w)
print("gradient at h_0:", on_root)
