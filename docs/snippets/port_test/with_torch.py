import torch
from torch.func import grad, jvp, vmap

from gradvalve.torch import scale_gradient


def cube(x, scale=0.5):
    return scale_gradient(x, scale=scale) ** 3


x, zero, inf = torch.tensor([1.5, 0.0, torch.inf])
scales = torch.tensor([0.5, -1.0])
assert scale_gradient(inf, -1) == inf
assert grad(cube)(x) == 3.375
assert torch.compile(grad(cube), backend="aot_eager")(x) == 3.375
assert grad(grad(cube))(x) == 2.25
assert jvp(cube, (x,), (torch.ones(()),))[1] == 3.375
assert vmap(grad(cube), (None, 0))(x, scales).tolist() == [3.375, -6.75]
assert grad(lambda x: scale_gradient(x, 0).sqrt())(zero) == 0
print("passed")
