from gradvalve.graph import (
    evaluate,
    gradients,
    scale_gradient,
    stop_gradient,
    variable,
    why_none,
)

x = variable("x", 2.0)
y = (x**2).named("y")
z = (x * scale_gradient(y, 0.5)).named("z")
(first,) = gradients(z, [x])
(second,) = gradients(first, [x])

print("value:", evaluate(z))
print("first:", evaluate(first))
print("first_at_3:", evaluate(first, {x: 3.0}))
print("second:", evaluate(second))

stop = stop_gradient(y).named("stop")
stopped = (3 * stop).named("stopped")
print("stopped:", gradients(stopped, [x]))
print("reason:", why_none(stopped, x))
