from gradvalve.graph import evaluate, gradients, scale_gradient, variable


def unroll(steps, s=0.5, c=None, placement="pseudocode", root=1):
    """Gradients of the total loss at the dynamics weight w and at the initial state."""
    c = 1 / steps if c is None else c
    w, h0 = variable("w", 1), variable("h_0", 0)
    h, total = h0, scale_gradient(h0, root)
    for _ in range(steps):
        if placement == "paper":
            h = scale_gradient(h, s)
        h = h + w
        if placement == "hook":
            h = scale_gradient(h, s)
        total = total + scale_gradient(h, c)
        if placement == "pseudocode":
            h = scale_gradient(h, s)
    return evaluate(gradients(total, [w, h0]))


def shares(steps, s):
    """Percentages of the gradient at w that come from the losses of each step."""
    parts = [unroll(j, s, 1, root=0)[0] for j in range(1, steps + 1)]
    parts = [part - before for part, before in zip(parts, [0, *parts[:-1]], strict=True)]
    return [round(100 * part / sum(parts)) for part in parts]


for K in [1, 5, 10, 50]:
    print(f"both_{K}:", unroll(K)[0])
    print(f"root_{K}:", unroll(K)[1])
variants = {
    "pseudocode": {},
    "paper": {"placement": "paper"},
    "hook": {"placement": "hook"},
    "root_scaled": {"root": 1 / 5},
    "no_half": {"s": 1},
    "neither": {"s": 1, "c": 1},
}
for name, options in variants.items():
    at_w, at_root = unroll(5, **options)
    print(f"{name}_w:", at_w)
    print(f"{name}_root:", at_root)
for name, s in [("half", 0.5), ("one", 1)]:
    for step, share in enumerate(shares(5, s), 1):
        print(f"{name}_{step}:", share)
