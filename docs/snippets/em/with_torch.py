import math

import torch


def log_joint(a, x):  # components at -a and a, equal weights, std 1
    mean = torch.stack([-a, a])
    return math.log(0.5) - (x - mean) ** 2 / 2 - math.log(2 * math.pi) / 2


def q(a, x, stop=torch.Tensor.detach):
    joint = log_joint(a, x)
    return torch.sum(stop(torch.softmax(joint, -1)) * joint)


def q_no_grad(a, x):
    with torch.no_grad():
        responsibilities = torch.softmax(log_joint(a, x), -1)
    return torch.sum(responsibilities * log_joint(a, x))


a = torch.tensor(1.0, requires_grad=True)
for name, value in [
    ("detach", q(a, 1.0)),
    ("no_grad", q_no_grad(a, 1.0)),
    ("no stop", q(a, 1.0, stop=lambda r: r)),
]:
    (slope,) = torch.autograd.grad(value, a)
    print(f"{name}: {slope:.4f}")
