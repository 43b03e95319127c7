from gradvalve.graph import evaluate, gradients, topological_order, trace, variable

x = variable("x", 3)
y = x**3
print("nodes_before:", len(topological_order([y])))
(dy,) = gradients(y, [x])
print("nodes_first:", len(topological_order([dy])))
(d2y,) = gradients(dy, [x])
print("nodes_second:", len(topological_order([d2y])))
print("first:", evaluate(dy))
print("second:", evaluate(d2y))

h = variable("h", 1)
z = h
for _ in range(20):
    z = z + z
paths, (slope,) = 2**20, gradients(z, [h])
print("visited:", len(trace(z)[0]))
print("paths:", paths)
print("slope:", evaluate(slope))
print("nodes_for_slope:", len(topological_order([slope])))
