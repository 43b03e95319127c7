import torch

from gradvalve.torch import scale_gradient

x = torch.tensor(3.0, requires_grad=True)
(stopped,) = torch.autograd.grad(x * x.detach(), x)
(halved,) = torch.autograd.grad(scale_gradient(x, 0.5) ** 2, x)

print("stopped:", stopped.item())
print("halved:", halved.item())
