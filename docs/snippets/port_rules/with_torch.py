import torch
from torch.autograd import forward_ad
from torch.func import grad, vmap


class Short(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.scale = inputs[1]

    @staticmethod
    def backward(ctx, gradient):
        return ctx.scale * gradient, None


def hook(x, scale):
    y = x.view_as(x)
    y.register_hook(lambda gradient: scale * gradient)
    return y


def report(check, function, x=1.5):
    try:
        print(f"{check}:", function(torch.tensor(x)).item())
    except Exception as error:
        print(f"{check}:", type(error).__name__)


def report_all(name, operation):
    def cube(x, scale=0.5):
        return operation(x, scale) ** 3

    def forward(x):
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x.requires_grad_(), torch.tensor(1.0))
            return forward_ad.unpack_dual(cube(dual)).tangent

    slope = grad(cube)
    report(f"{name}_first", slope)
    report(f"{name}_second", grad(slope))
    report(f"{name}_forward", forward)
    report(f"{name}_compiled", torch.compile(slope, backend="aot_eager"))
    report(f"{name}_per_scale", lambda x: vmap(slope, (None, 0))(x, torch.tensor([0.5]))[0])
    report(f"{name}_keyword", grad(lambda x: operation(x=x, scale=0.5) ** 3))
    report(f"{name}_zero", grad(lambda x: operation(x, 0.0).sqrt()), x=0.0)


report_all("function", Short.apply)
report_all("hook", hook)
