import torch


def masked_output(x):
    return torch.where(x > 0, x.log(), 0.0).sum()


def masked_input(x):
    safe = torch.where(x > 0, x, 1.0)
    return torch.where(x > 0, safe.log(), 0.0).sum()


x = torch.tensor([0.0, 2.0])
print("masked_output:", torch.func.grad(masked_output)(x).tolist())
print("masked_input:", torch.func.grad(masked_input)(x).tolist())
