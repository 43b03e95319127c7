from gradvalve.graph import evaluate, gradients, scale_gradient, stop_gradient, variable
from gradvalve.live import choice, show, slider


def valve(node, start):
    if choice(f"valve on {node.name}", ["scale", "stop"]) == "stop":
        return stop_gradient(node)
    return scale_gradient(node, slider(f"s on {node.name}", start, -1, 2, 0.1))


x = variable("x", 2)
y = (x**2).named("y")
z = (valve(x, 1) * valve(y, 0.5)).named("z")

show(z, [x])
print("z:", evaluate(z))
print("dz/dx:", evaluate(gradients(z, [x]))[0])
