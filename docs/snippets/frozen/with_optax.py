import jax.numpy as jnp
import optax

optimizers = {
    "sgd": optax.sgd(0.1),
    "momentum": optax.sgd(0.1, momentum=0.9),
    "sgd_decay": optax.chain(optax.add_decayed_weights(0.5), optax.sgd(0.1)),
    "adam": optax.adam(0.1),
    "adam_decay": optax.chain(optax.add_decayed_weights(0.5), optax.adam(0.1)),
    "adamw": optax.adamw(0.1, weight_decay=0.5),
}


def second_step(optimizer, gradient):
    """How far a weight moves after a first step with the gradient 1."""
    weight = jnp.array(1.0)
    update, state = optimizer.update(jnp.array(1.0), optimizer.init(weight), weight)
    update, _ = optimizer.update(gradient, state, optax.apply_updates(weight, update))
    return round(update.item(), 3) + 0.0


for name, optimizer in optimizers.items():
    print(f"{name}_zero:", second_step(optimizer, jnp.array(0.0)))
