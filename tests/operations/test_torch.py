"""What the two operations promise about PyTorch's own things; for compiled ones, see the next."""

import doctest
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch.autograd import forward_ad
from torch.autograd.gradcheck import GradcheckError
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from torch.nn.functional import cosine_similarity, embedding, one_hot
from torch.utils.checkpoint import checkpoint

from tests.operations.comparing import covers
from tests.operations.in_torch import module, scale_gradient, stop_gradient

each_operation = pytest.mark.parametrize(
    "operation", [stop_gradient, lambda x: scale_gradient(x, 0.5)], ids=["stop", "scale"]
)
each_kind = pytest.mark.parametrize("kind", [float, torch.tensor], ids=["number", "tensor"])


def leaf(values):
    return torch.tensor(values, requires_grad=True)


def gradient(function, x):
    x = x.clone().requires_grad_()
    function(x).sum().backward()
    return x.grad


def test_the_examples_in_the_docstrings_are_right():
    failed, attempted = doctest.testmod(module)

    assert (failed, attempted > 0) == (0, True)


# What x may be


@each_operation
def test_nests_keep_their_types_and_what_is_no_tensor(operation):
    nest = OrderedDict(b=[torch.ones(2), 7, "dense"], a=(True, b"bytes", 0.5, 2j))

    result = operation(nest)

    assert type(result) is OrderedDict
    assert list(result) == ["b", "a"]
    assert (result["b"][1:], result["a"]) == ([7, "dense"], (True, b"bytes", 0.5, 2j))


@dataclass
class Point:
    x: torch.Tensor
    name: str


torch.export.register_dataclass(Point)


def test_dataclasses_that_pytorch_knows_are_nests():
    x = leaf(3.0)

    point = scale_gradient(Point(x, "p"), 0.5)
    (stop_gradient(point).x * point.x).backward()

    assert (point.name, x.grad) == ("p", 1.5)


@each_kind
def test_sparse_tensors_are_scaled(kind):
    x = torch.eye(3).to_sparse().requires_grad_()

    y = scale_gradient(x, kind(0.5))
    y.to_dense().sum().backward()

    assert y.is_sparse
    assert torch.equal(y.to_dense(), torch.eye(3))
    assert torch.equal(x.grad.to_dense(), torch.eye(3) / 2)


def test_the_scale_comes_to_the_device_of_x():
    y = scale_gradient(torch.ones(2, device="meta"), np.array([0.5, 1.0]))

    assert (y.device.type, y.shape) == ("meta", (2,))


# Memory


@each_operation
def test_the_forward_costs_no_memory(operation):
    x = leaf([1.0, 2.0])

    assert operation(x).data_ptr() == x.data_ptr()


@pytest.mark.parametrize(("scale", "saved"), [(0.5, 0), (torch.tensor(0.5), 1)], ids=str)
def test_nothing_but_the_scale_is_kept_for_the_way_back(scale, saved):
    kept = []

    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x.shape), lambda x: x):
        scale_gradient(leaf([1.0, 2.0]), scale)

    assert kept == [()] * saved


def calculations(function):
    with torch.autograd.profiler.profile() as profile:
        function()
    return [e.name for e in profile.function_events if e.name.startswith("aten::")]


def test_the_way_back_is_one_multiplication():
    x, ones = leaf([1.0, 2.0]), torch.ones(2)
    y = scale_gradient(x, 0.5)

    way_back = calculations(lambda: torch.autograd.grad(y, x, ones))

    assert "aten::mul" in way_back
    assert way_back == calculations(lambda: ones * 0.5)


@pytest.mark.parametrize("x", [leaf([1.0, 2.0]), leaf([1.0, 2.0]) * 1], ids=["leaf", "inner"])
def test_an_edit_in_place_is_an_error_where_a_gradient_is_recorded(x):
    y = scale_gradient(x, 0.5)

    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        y.mul_(2)


def edited(x):
    """Of slope 1 + 2s at the first x, which no edit of y reaches."""
    x = x * 1
    y = scale_gradient(x, 0.5)
    y.mul_(2)
    return x + y


def test_function_transforms_get_a_copy_that_may_be_edited():
    x, one = torch.tensor(3.0), torch.tensor(1.0)

    assert grad(edited)(x) == 2
    assert jvp(edited, (x,), (one,)) == (9, 2)
    assert grad(grad(lambda x: edited(x) ** 2))(x) == 8
    assert vmap(grad(edited))(torch.ones(2)).tolist() == [2, 2]
    assert grad(lambda x: vmap(edited)(x).sum())(torch.ones(2)).tolist() == [2, 2]


def test_forward_mode_gets_a_copy_that_may_be_edited():
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.tensor([3.0]), torch.tensor([1.0]))
        result = forward_ad.unpack_dual(edited(x))

        assert (result.primal, result.tangent) == (9, 2)


@covers("C114")
def test_what_is_stopped_shares_the_memory_of_x():
    x = torch.ones(2)

    stop_gradient(x).clone().zero_()
    assert x.tolist() == [1, 1]

    stop_gradient(x).zero_()
    assert x.tolist() == [0, 0]


# Derivatives


def cube(x):
    return (scale_gradient(x, 0.5) ** 3).sum()


def test_jacobians_and_hessians_are_scaled():
    x = torch.tensor([1.5, 3.0])
    scale = torch.tensor([0.5, -1.0])
    jacobian = torch.diag(2 * x * scale)

    for derivative in jacrev, jacfwd:
        assert torch.equal(derivative(lambda x: scale_gradient(x, scale) ** 2)(x), jacobian)
    assert torch.equal(hessian(cube)(x), torch.diag(torch.tensor([2.25, 4.5])))

    functional = torch.autograd.functional
    for options in {}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}:
        result = functional.jacobian(lambda x: scale_gradient(x, scale) ** 2, x, **options)
        assert torch.equal(result, jacobian)
    assert torch.equal(functional.hessian(cube, x), torch.diag(torch.tensor([2.25, 4.5])))


def test_every_derivative_keeps_the_dtype():
    """PyTorch's own product of a scalar tensor and a number has a tangent in float64."""
    for dtype in torch.float16, torch.float32, torch.float64:
        for x in torch.tensor(1.5, dtype=dtype), torch.tensor([1.5], dtype=dtype):
            one = torch.ones_like(x)
            tangent = jvp(grad(cube), (x,), (one,))[1]

            assert (tangent.dtype, tangent) == (dtype, 2.25)


@each_kind
def test_zero_stops_infinite_gradients_of_every_order(kind):
    def root(x):
        return torch.sqrt(scale_gradient(x, kind(0.0))).sum()

    x = torch.zeros(2)

    assert grad(root)(x).tolist() == [0, 0]
    assert hessian(lambda x: root(x) + (x**2).sum() / 2)(x).tolist() == [[1, 0], [0, 1]]


def test_gradcheck_passes_at_one_and_fails_elsewhere():
    """In all modes; elsewhere it has to fail, since the value moves in full."""
    x = torch.tensor([0.3, -1.2], dtype=torch.float64, requires_grad=True)
    modes = {
        "check_forward_ad": True,
        "check_batched_grad": True,
        "check_batched_forward_grad": True,
    }

    assert torch.autograd.gradcheck(lambda x: scale_gradient(x, 1.0) ** 2, x, **modes)
    assert torch.autograd.gradgradcheck(
        lambda x: scale_gradient(x, torch.ones(2)) ** 3,
        x,
        check_fwd_over_rev=True,
        check_rev_over_rev=True,
    )
    with pytest.raises(GradcheckError):
        torch.autograd.gradcheck(lambda x: scale_gradient(x, 0.5) ** 2, x)


# Rows: what is vectorised, scales, slopes with respect to x = [1, 1, 1] of the sum, weighted by 1…
VECTORISED = {
    "C46-scale": ((None, 0), [0.0, 0.5], [[0, 0, 0], [0.5, 0.5, 0.5]]),
    "vectors of scales": ((None, 0), [[0.0, 0.5, 1.0], [2, 2, 2]], [[0, 0.5, 1], [2, 2, 2]]),
    "columns of scales": ((None, 1), [[0.0, 0.5], [0, 2], [0, 4]], [[0, 0, 0], [0.5, 2, 4]]),
    "both": ((0, 0), [0.0, 0.5], [[0, 0, 0], [0.5, 0.5, 0.5]]),
    "x": ((0, None), 0.5, [[0.5, 0.5, 0.5]] * 2),
    "columns of x": ((1, None), 0.5, [[0.5, 0.5, 0.5]] * 2),
}


@pytest.mark.parametrize(("dims", "scale", "expected"), VECTORISED.values(), ids=VECTORISED.keys())
def test_vmap_and_derivatives_commute(dims, scale, expected):
    x, scale, expected = torch.ones(3), torch.tensor(scale), torch.tensor(expected)
    batch = {None: x, 0: torch.ones(2, 3), 1: torch.ones(3, 2)}[dims[0]]

    inside = vmap(grad(lambda x, scale: scale_gradient(x, scale).sum()), dims)
    tangent = vmap(lambda x, s: jvp(lambda x: scale_gradient(x, s), (x,), (x,))[1], dims)
    assert torch.equal(inside(batch, scale), expected)
    assert torch.equal(tangent(batch, scale), expected)

    weights = torch.tensor([[1.0], [2.0]])
    outside = grad(lambda x: (weights * vmap(scale_gradient, dims)(x, scale)).sum())(batch)
    each = weights * expected
    assert torch.equal(outside, {None: each.sum(0), 0: each, 1: each.T}[dims[0]])


def test_vmap_may_be_nested():
    scales = torch.tensor([[0.0, 0.5], [1.0, 2.0]])

    result = vmap(vmap(grad(lambda x, s: scale_gradient(x, s) ** 2), (None, 0)), (None, 0))

    assert result(torch.tensor(3.0), scales).tolist() == [[0, 3], [6, 12]]


def test_a_tensor_from_outside_a_transform_keeps_its_gradient():
    """x isn't what grad differentiates, but what autograd does around it."""
    x = leaf(3.0)

    slope = grad(lambda w: w * scale_gradient(x, 0.5) ** 2)(torch.tensor(1.0))
    slope.backward()

    assert (slope.item(), x.grad) == (9, 3)


def test_what_is_stopped_is_constant_at_every_level():
    x, one = torch.tensor(3.0), torch.tensor(1.0)

    def square(x):
        return stop_gradient(x) * x

    assert grad(square)(x) == 3
    assert jvp(square, (x,), (one,))[1] == 3
    for first in grad(square), lambda x: jvp(square, (x,), (one,))[1]:
        assert grad(lambda x, first=first: first(x) + x)(x) == 1
        assert jvp(lambda x, first=first: first(x) + x, (x,), (one,))[1] == 1
    assert vmap(grad(square))(torch.ones(2)).tolist() == [1, 1]
    assert vjp(stop_gradient, x)[1](one) == (0,)


def test_batched_gradients_are_scaled():
    x = leaf([1.0, 1.0])
    y = scale_gradient(x, torch.tensor([0.5, 2.0]))

    (result,) = torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True)

    assert result.tolist() == [[0.5, 0], [0, 2]]


# Sparse gradients

ROWS = torch.tensor([1, 3, 1])
SCALES = {
    "C121-number": 0.5,
    "C121-tensor": torch.tensor(0.5),
    "zero": 0.0,
    "row": torch.arange(1.0, 4.0),
    "of each row": torch.arange(5.0)[:, None],
    "of each entry": torch.arange(15.0).reshape(5, 3),
}


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES.keys())
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_sparse_gradients_stay_sparse(scale, dtype):
    table = torch.ones(5, 3, dtype=dtype)
    counts = torch.zeros(5, 1).index_add(0, ROWS, torch.ones(3, 1))

    result = gradient(
        lambda table: embedding(ROWS, scale_gradient(table, scale), sparse=True), table
    )

    assert result.is_sparse
    assert result.coalesce().indices().tolist() == [[1, 3]]
    assert torch.equal(result.to_dense(), (counts * scale).to(dtype).expand(5, 3))


def test_an_infinite_sparse_gradient_is_stopped():
    def lookup(table):
        return embedding(ROWS, scale_gradient(table, 0.0), sparse=True) * torch.inf

    result = gradient(lookup, torch.ones(5, 3))

    assert result.is_sparse
    assert torch.equal(result.to_dense(), torch.zeros(5, 3))


# PyTorch's modes


@pytest.mark.parametrize("reentrant", [True, False], ids=["reentrant", "not reentrant"])
@each_kind
def test_what_is_recomputed_is_scaled(reentrant, kind):
    def segment(x, scale):
        return scale_gradient(x * 1, scale) ** 2

    x = leaf(3.0)
    checkpoint(segment, x, kind(0.5), use_reentrant=reentrant).backward()

    assert x.grad == 3


@covers("C117")
def test_a_checkpoint_of_stopped_inputs_has_gradients_unless_reentrant():
    weight, x = leaf(2.0), leaf(3.0)

    def segment(x):
        return weight * x

    checkpoint(segment, stop_gradient(x), use_reentrant=False).backward()
    assert (weight.grad, x.grad) == (3, None)

    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        lost = checkpoint(segment, stop_gradient(x), use_reentrant=True)
    assert not lost.requires_grad


@pytest.mark.parametrize("kind", [float, torch.tensor], ids=["number", "tensor"])
def test_under_autocast_the_product_is_rounded_once(kind):
    weight = torch.full((2, 2), 1.01)

    def network(weight):
        with torch.autocast("cpu", torch.bfloat16):
            hidden = weight @ torch.ones(2, 2)
            y = scale_gradient(hidden, kind(0.3))
            assert y.dtype == torch.bfloat16
            return (y @ torch.ones(2, 1)).float()

    assert torch.equal(gradient(network, weight), torch.full((2, 2), 0.6).bfloat16().float())


@pytest.mark.parametrize("scale", [0.5, 0.0, [0.5, 1.0]], ids=str)
def test_inference_mode_returns_x(scale):
    with torch.inference_mode():
        x = torch.tensor([1.0, -0.0])
        y = scale_gradient({"x": stop_gradient(x)}, scale)["x"]

    assert y.is_inference()
    assert y.view(torch.int32).tolist() == x.view(torch.int32).tolist()


# Cases from the field


@covers("C05")
def test_a_loss_that_is_stopped_altogether_says_so():
    with pytest.raises(RuntimeError, match="does not require grad"):
        (3 * stop_gradient(leaf(2.0))).backward()


@pytest.mark.parametrize(
    "straight_through",
    [
        lambda hard, soft: hard - stop_gradient(soft) + soft,
        lambda hard, soft: hard + (soft - stop_gradient(soft)),
    ],
    ids=["left", "right"],
)
@covers("C23")
def test_a_straight_through_sample_is_exact_with_any_parentheses(straight_through):
    logits = torch.randn(1000, 7, generator=torch.Generator().manual_seed(0))
    weights = torch.arange(7.0)

    def sample(logits):
        soft = logits.softmax(-1)
        return straight_through(one_hot(soft.argmax(-1), 7).float(), soft)

    assert torch.equal(sample(logits), one_hot(logits.argmax(-1), 7).float())
    assert torch.equal(
        gradient(lambda logits: sample(logits) * weights, logits),
        gradient(lambda logits: logits.softmax(-1) * weights, logits),
    )


@covers("C77")
def test_a_stopped_result_that_is_dropped_stops_nothing():
    def assigned(w):
        target = stop_gradient(3 * w)
        return (w - target) ** 2

    def dropped(w):
        target = 3 * w
        stop_gradient(target)
        return (w - target) ** 2

    assert gradient(assigned, torch.tensor(2.0)) == -8
    assert gradient(dropped, torch.tensor(2.0)) == 16


@covers("C85")
def test_a_hook_scales_what_the_heads_send_back_too():
    def unroll(scaled):
        """Return the gradients at the root and at each step's weight."""
        root, weights = leaf(1.0), [leaf(2.0) for _ in range(3)]
        state, loss = root, 0.0
        for weight in weights:
            state = weight * state
            loss = loss + state
            state = scaled(state)
        loss.backward()
        return root.grad.item(), [weight.grad.item() for weight in weights]

    def hook(state):
        state.register_hook(lambda gradient: 0.5 * gradient)
        return state

    assert unroll(lambda state: scale_gradient(state, 0.5)) == (6, [3, 4, 4])
    assert unroll(hook) == (3, [1.5, 2, 2])


@pytest.mark.parametrize(("stopped", "expected"), [(True, None), (False, 6.0)])
@covers("C97", "C98")
def test_a_stop_belongs_into_the_step_of_the_discriminator(stopped, expected):
    """The generator makes 3g, the discriminator d says d·3g: both slopes are known."""
    g, d = leaf(1.0), leaf(2.0)
    sample = 3 * g

    (d * (stop_gradient(sample) if stopped else sample)).backward()

    assert (g.grad, d.grad) == (expected, 3)


@covers("C112")
def test_a_hook_needs_a_gradient_and_the_operation_does_not():
    x = torch.ones(2)

    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        x.register_hook(lambda gradient: 0.5 * gradient)
    assert torch.equal(scale_gradient(x, 0.5), x)


@covers("C113")
def test_a_hook_belongs_to_the_tensor_before_its_edit_and_the_operation_refuses_the_edit():
    seen = []
    y = leaf(3.0) * 1
    y.register_hook(lambda gradient: seen.append(gradient.item()))
    y.mul_(2)
    y.backward()

    assert seen == [2]
    with pytest.raises(RuntimeError, match="modified inplace"):
        scale_gradient(leaf(3.0) * 1, 0.5).mul_(2)


@covers("P16")
def test_a_hook_that_edits_its_gradient_reaches_another_leaf_and_the_operation_does_not():
    a, b = leaf([1.0]), leaf([1.0])
    a.register_hook(lambda gradient: gradient.mul_(0.5))
    (a + b).backward()
    assert (a.grad, b.grad) == (0.5, 0.5)

    a, b = leaf([1.0]), leaf([1.0])
    (scale_gradient(a, 0.5) + b).backward()
    assert (a.grad, b.grad) == (0.5, 1)


@covers("C86")
def test_a_hook_that_is_a_number_fails_only_on_the_way_back():
    x = leaf(3.0)
    x.register_hook(0.5)

    with pytest.raises(TypeError, match="not callable"):
        x.backward()


@covers("C107")
def test_a_backward_of_a_module_is_never_called():
    class Reversal(torch.nn.Module):
        def forward(self, x):
            return x.view_as(x)

        def backward(self, gradient):
            return -gradient

    assert gradient(Reversal(), torch.tensor(3.0)) == 1
    assert gradient(lambda x: scale_gradient(x, -1.0), torch.tensor(3.0)) == -1


@covers("C73")
def test_a_frozen_weight_lets_the_gradient_pass_and_a_stop_cuts_through():
    x, frozen, trained = leaf(3.0), torch.tensor(5.0), leaf(2.0)

    (trained * (frozen * x)).backward()
    assert (x.grad, frozen.grad, trained.grad) == (10, None, 15)

    x.grad = trained.grad = None
    (trained * stop_gradient(frozen * x)).backward()
    assert (x.grad, frozen.grad, trained.grad) == (None, None, 15)


@pytest.mark.parametrize(("decay", "expected"), [(0.5, 0.95), (0.0, 1.0)])
@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
@covers("C66")
def test_rows_of_gradient_zero_shrink_unless_they_are_left_out_of_the_decay(
    optimizer, decay, expected
):
    """In one step of rate 0.1."""
    table = leaf([[1.0, 1.0], [1.0, 1.0]])
    step = optimizer([table], lr=0.1, weight_decay=decay)

    scale_gradient(table, torch.tensor([[0.0], [1.0]])).sum().backward()
    step.step()

    stopped, trained = table.detach()
    torch.testing.assert_close(stopped, torch.full((2,), expected))
    assert (trained < stopped).all()


@covers("C95")
def test_simsiam_stops_the_projection_and_not_the_prediction():
    """−cos(p, z): its gradient at p is (cos · p̂ − ẑ) / |p|; stopped there, no predictor learns."""
    predictor = leaf([[3.0, 0.0], [4.0, 0.0]])
    z1, z2 = leaf([1.0, 0.0]), leaf([1.0, 0.0])
    prediction = predictor @ z1  # [3, 4]
    prediction.retain_grad()

    (-cosine_similarity(prediction, stop_gradient(z2), dim=0)).backward()

    at_prediction = torch.tensor([0.6 * 0.6 - 1, 0.6 * 0.8]) / 5
    torch.testing.assert_close(prediction.grad, at_prediction)
    torch.testing.assert_close(z1.grad, predictor.detach().T @ at_prediction)
    torch.testing.assert_close(predictor.grad, torch.outer(at_prediction, z1.detach()))
    assert z2.grad is None

    predictor.grad = z1.grad = None
    (-cosine_similarity(stop_gradient(predictor @ z1), z2, dim=0)).backward()
    assert (predictor.grad, z1.grad) == (None, None)


@covers("C96")
def test_without_a_predictor_simsiams_stop_only_halves_the_gradient():
    """So the stop alone keeps nothing from collapsing: descent goes the same way, more slowly."""
    generator = torch.Generator().manual_seed(0)
    encoder, predictor = torch.randn(2, 3, 3, generator=generator, dtype=torch.float64)
    views = torch.randn(2, 9, 3, generator=generator, dtype=torch.float64)

    def loss(encoder, predict, stop):
        z1, z2 = torch.tanh(views @ encoder)
        to_second = cosine_similarity(predict(z1), stop(z2))
        return -(to_second + cosine_similarity(predict(z2), stop(z1)))

    def slopes(predict):
        return [
            gradient(lambda encoder, stop=stop: loss(encoder, predict, stop), encoder)
            for stop in (stop_gradient, lambda z: z)
        ]

    stopped, whole = slopes(lambda z: z)
    torch.testing.assert_close(stopped, whole / 2)

    stopped, whole = slopes(lambda z: z @ predictor)
    assert cosine_similarity(stopped.ravel(), whole.ravel(), dim=0) < 0.99
