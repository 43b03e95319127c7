import torch

w = torch.tensor(2.0, requires_grad=True)

q = 3 * w
q.detach()  # returns a new tensor, which is dropped here
(dropped,) = torch.autograd.grad((w - q) ** 2, w)

q = 3 * w
q = q.detach()
(kept,) = torch.autograd.grad((w - q) ** 2, w)

print("dropped:", dropped.item())
print("kept:", kept.item())
