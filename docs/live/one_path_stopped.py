from gradvalve.graph import evaluate, gradients, stop_gradient, variable
from gradvalve.live import show, slider

x = variable("x", slider("x", 3, -3, 3, 0.5))
y = (x * stop_gradient(x)).named("y")

show(y, [x])
print("y:", evaluate(y))
print("dy/dx:", evaluate(gradients(y, [x]))[0])
