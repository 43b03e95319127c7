import torch
from torch.nn import Linear


def weights_after_a_step(stop=False, freeze=False):
    layers = first, middle, last = [Linear(1, 1, bias=False) for _ in range(3)]
    for layer in layers:
        torch.nn.init.ones_(layer.weight)
    middle.requires_grad_(not freeze)
    trained = [weight for layer in layers for weight in layer.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=0.1, weight_decay=0.5)

    hidden = middle(first(torch.ones(1, 1)))
    last(hidden.detach() if stop else hidden).square().sum().backward()
    optimizer.step()
    return [round(layer.weight.item(), 2) for layer in layers]


print("frozen:", weights_after_a_step(freeze=True))
print("stopped:", weights_after_a_step(stop=True))
