from gradvalve.graph import evaluate, gradients, stop_gradient, variable, why_none
from gradvalve.live import show

x = variable("x", 3)
stopped = (2 * stop_gradient(x)).named("stopped")
zero = (0 * x).named("zero")

for y in [stopped, zero]:
    show(y, [x])
    print("gradient:", evaluate(gradients(y, [x]))[0])
    print(why_none(y, x))
