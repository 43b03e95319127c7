import jax
import jax.numpy as jnp
import optax

weights = {name: jnp.array(1.0) for name in ("first", "middle", "last")}
adamw = optax.adamw(0.1, weight_decay=0.5)
only_first_and_last = optax.multi_transform(
    {"train": adamw, "freeze": optax.set_to_zero()},
    {"first": "train", "middle": "freeze", "last": "train"},
)


def loss(w, stop):
    hidden = w["middle"] * w["first"]
    return (w["last"] * (jax.lax.stop_gradient(hidden) if stop else hidden)) ** 2


def weights_after_a_step(optimizer, stop=False):
    gradients = jax.grad(loss)(weights, stop)
    updates, _ = optimizer.update(gradients, optimizer.init(weights), weights)
    new = optax.apply_updates(weights, updates)
    return [round(new[name].item(), 2) for name in weights]


print("frozen:", weights_after_a_step(only_first_and_last))
print("stopped:", weights_after_a_step(adamw, stop=True))
