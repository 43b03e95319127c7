from gradvalve.graph import evaluate, gradients, variable
from gradvalve.live import show, slider

x = variable("x", slider("x", 3, -3, 3, 0.5))
y = (x * x).named("y")

show(y, [x])
print("dy/dx:", evaluate(gradients(y, [x]))[0])
