from gradvalve.graph import evaluate, gradients, scale_gradient, variable
from gradvalve.live import show, slider

x = variable("x", 1.5)
y = (scale_gradient(x, slider("s", 0.5, -1, 2, 0.1)) ** 3).named("y")
(slope,) = gradients(y, [x])
slope.named("slope")
(curvature,) = gradients(slope, [x])

show(slope, [x])
print("dy/dx:", evaluate(slope))
print("second derivative:", evaluate(curvature))
