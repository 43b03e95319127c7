import torch

from gradvalve.torch import scale_gradient

x = torch.tensor(3.0, requires_grad=True)
state = 1.0 * x


def slope(loss):
    return torch.autograd.grad(loss, x, retain_graph=True)[0].item()


def halve(gradient):
    return 0.5 * gradient


print("operation:", slope(2 * state + 4 * scale_gradient(state, 0.5)))

loss = 2 * state + 4 * state  # the head and the next step
state.register_hook(halve)
print("hook:", slope(loss))

state.register_hook(halve)
print("registered_twice:", slope(loss))
