import torch

x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)

loss = w * x.detach()
print("gradients:", torch.autograd.grad(loss, [w, x], allow_unused=True))

loss = 3 * x.detach()
print("requires_grad:", loss.requires_grad)
try:
    loss.backward()
except RuntimeError as error:
    print("everything_detached:", error)
