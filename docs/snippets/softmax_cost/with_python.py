from gradvalve.graph import (
    exp,
    gradients,
    log,
    reduce_max,
    reduce_sum,
    stop_gradient,
    topological_order,
    variable,
)

x = variable("x", [3, 3, 1])
largest = reduce_max(x)
stopped = stop_gradient(largest)


def operations(m):
    """Count the operations that the gradient of log-sum-exp needs."""
    gradient = gradients(m + log(reduce_sum(exp(x - m))), [x])[0]
    return sum(1 for node in topological_order([gradient]) if node.inputs)


print("both:", operations(stopped))
print("neither:", operations(largest))
