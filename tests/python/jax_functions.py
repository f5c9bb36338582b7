"""Functions of JAX that measure_test has measured on the CPU."""
import functools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="window")
def forward(q, k1, k2, v1, v2, *, window):
    group = q.shape[2] // k1.shape[2]
    k1, k2, v1, v2 = (jnp.repeat(x, group, axis=2) for x in (k1, k2, v1, v2))
    n = jnp.arange(q.shape[1])
    back = n[:, None] - n[None, :]
    first, second = ((back >= 0) & (back < length) for length in window)
    logits = jnp.einsum("bhijd,bkhd->bhijk", jnp.einsum("bihd,bjhd->bhijd", q, k1), k2, precision="highest") * q.shape[-1] ** -0.5
    logits = jnp.where(first[:, :, None] & second[:, None, :], logits, -jnp.inf)
    lse = jax.nn.logsumexp(logits, axis=(3, 4))
    weights = jnp.exp(logits - lse[..., None, None])
    mixed = jnp.einsum("bhijk,bkhd->bhijd", weights, v2, precision="highest")
    return jnp.einsum("bhijd,bjhd->bihd", mixed, v1, precision="highest"), lse


def transposed_keys(q, k1, k2, v1, v2, *, window):
    return forward(q, k2, k1, v1, v2, window=window)


@functools.partial(jax.jit, static_argnames="window")
def backward(grad_o, q, k1, k2, v1, v2, o, lse, *, window):
    _, pull = jax.vjp(lambda *x: forward(*x, window=window)[0], q, k1, k2, v1, v2)
    return pull(grad_o)
