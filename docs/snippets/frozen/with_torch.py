import torch

optimizers = {
    "sgd": lambda weights: torch.optim.SGD(weights, 0.1),
    "momentum": lambda weights: torch.optim.SGD(weights, 0.1, momentum=0.9),
    "sgd_decay": lambda weights: torch.optim.SGD(weights, 0.1, weight_decay=0.5),
    "adam": lambda weights: torch.optim.Adam(weights, 0.1),
    "adam_decay": lambda weights: torch.optim.Adam(weights, 0.1, weight_decay=0.5),
    "adamw": lambda weights: torch.optim.AdamW(weights, 0.1, weight_decay=0.5),
}


def second_step(make, gradient):
    """How far a weight moves after a first step with the gradient 1."""
    weight = torch.ones((), requires_grad=True)
    optimizer = make([weight])
    weight.grad = torch.ones(())
    optimizer.step()
    before = weight.item()
    weight.grad = gradient
    optimizer.step()
    return round(weight.item() - before, 3)


for name, make in optimizers.items():
    print(f"{name}_zero:", second_step(make, torch.zeros(())))
    print(f"{name}_none:", second_step(make, None))
