import jax.numpy as jnp
import optax

weights = {"trained": jnp.array(1.0), "frozen": jnp.array(1.0)}
gradients = {"trained": jnp.array(2.0), "frozen": jnp.array(2.0)}
train = {"trained": True, "frozen": False}
freeze = {"trained": False, "frozen": True}
adamw = optax.adamw(0.1, weight_decay=0.5)
zeros = optax.masked(optax.set_to_zero(), freeze)


def moved(optimizer):
    updates, _ = optimizer.update(gradients, optimizer.init(weights), weights)
    return round(updates["frozen"].item(), 2) + 0.0


print("masked:", moved(optax.masked(adamw, train)))
print("decay_mask:", moved(optax.adamw(0.1, weight_decay=0.5, mask=train)))
print("zeros_first:", moved(optax.chain(zeros, adamw)))
print("zeros_last:", moved(optax.chain(adamw, zeros)))
