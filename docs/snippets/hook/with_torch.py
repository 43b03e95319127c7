import torch


class ScaleGradient(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.scale = inputs[1]

    @staticmethod
    def backward(ctx, gradient):
        return ctx.scale * gradient, None


def unscaled(hidden_state):
    return hidden_state


def operation(hidden_state):
    return ScaleGradient.apply(hidden_state, 0.5)


def hook(hidden_state):
    hidden_state.register_hook(lambda gradient: 0.5 * gradient)
    return hidden_state


for variant in (unscaled, operation, hook):
    root = torch.tensor(1.0, requires_grad=True)
    weights = [torch.tensor(2.0, requires_grad=True) for _ in range(3)]
    hidden_state, loss = root, 0.0
    for weight in weights:
        hidden_state = weight * hidden_state
        loss = loss + hidden_state  # the heads read the state before it is scaled
        hidden_state = variant(hidden_state)
    loss.backward()
    print(f"{variant.__name__}_weights:", [weight.grad.item() for weight in weights])
    print(f"{variant.__name__}_root:", root.grad.item())
