from gradvalve.graph import evaluate, gradients, stop_gradient, trace, variable
from gradvalve.live import choice, show

w, x = variable("w", 2), variable("x", 3)
prediction = (w * x).named("prediction")
target = (w + 1).named("target")
if choice("the target is", ["stopped", "not stopped"]) == "stopped":
    target = stop_gradient(target)
loss = ((prediction - target) ** 2).named("loss")

visited, hidden = trace(loss)
names = [node.name for node in visited if node.operation != "constant"]
print("visited:", " ".join(names))
for node, valve in hidden:
    print(f"{node.name} is hidden by {valve.name}")
show(loss, [w])
print("dloss/dw:", evaluate(gradients(loss, [w]))[0])
