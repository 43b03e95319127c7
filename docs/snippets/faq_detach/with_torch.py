import torch

x = torch.tensor(3.0, requires_grad=True)
frozen = torch.tensor(2.0, requires_grad=True).requires_grad_(False)


def slope(y):
    return torch.autograd.grad(y, x)[0].item()


print("detach:", slope(x * x.detach()))  # one use is cut
print("requires_grad_False:", slope(frozen * x))  # the gradient passes to x

with torch.no_grad():
    square = x * x
print("no_grad:", square.requires_grad)  # nothing is recorded

y = torch.exp(x)
y.data.zero_()  # edits what the gradient of exp needs
print("data:", slope(y))

y = torch.exp(x)
y.detach().zero_()
try:
    slope(y)
except RuntimeError as error:
    print("detach_edited:", str(error).split(":")[0])
