"""attention over JAX arrays on the CPU: a callback to the library, with a derivative, under jit and vmap.

A call through XLA's foreign function interface would need its headers when this package is built; the callback needs
none. It copies each tensor once, which on a CPU is little beside the attention itself.
"""

import functools

import jax
import numpy

from . import _attention, _library, _options


def attention(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel, return_lse):
    """triscope.attention for JAX arrays; the arguments are its own."""
    tensors = {"q": q, "k1": k1, "k2": k2, "v1": v1, "v2": v2, **({} if sink is None else {"sink": sink})}
    for name, value in tensors.items():
        if not isinstance(value, (jax.Array, numpy.ndarray)):
            raise ValueError(f"{name} is a {type(value).__name__}, but must be a JAX array, as q is one")
        if value.dtype != numpy.float32:
            raise ValueError(f"{name} has dtype {value.dtype}, but the kernels of the CPU compute in float32; pass "
                             f"{name}.astype(jax.numpy.float32)")
    _options.shapes(q.shape, k1.shape, {name: tensors[name].shape for name in ("k2", "v1", "v2")})
    if sink is not None and sink.shape != (q.shape[2],):
        raise ValueError(f"sink has shape {sink.shape}, but must be {(q.shape[2],)}")
    options = (_options.window(window), None if scale is None else _options.number("scale", scale), form, mask,
               _options.number("k2_bias", k2_bias), _options.number("v2_bias", v2_bias), _options.kernel(kernel))
    _options.choice("form", form, _library.FORMS)
    _options.choice("mask", mask, _library.MASKS)
    if jax.default_backend() != "cpu":
        raise ValueError(f"q is computed on {jax.default_backend()}, but for JAX there are kernels on the CPU only; set "
                         "JAX_PLATFORMS=cpu, or use torch on a GPU")
    made = _attention_of(options, tuple(tensors.values()))
    return made if return_lse else made[0]


def _merged(arrays, rank):
    """Each array with its leading dimensions, those of vmap, made one; and what they were."""
    arrays = [numpy.asarray(array) for array in arrays]
    leading = arrays[0].shape[:arrays[0].ndim - rank]
    return leading, [array.reshape((-1, *array.shape[len(leading):])) for array in arrays]


def _each(function, arrays, options):
    """Calls `function` for each problem of a vmap, and stacks what it returns."""
    leading, merged = _merged(arrays, 4)
    results = [function([array[n] for array in merged], options) for n in range(merged[0].shape[0])]
    return tuple(numpy.stack(parts).reshape(leading + parts[0].shape) for parts in zip(*results))


def _named(options):
    names = ("window", "scale", "form", "mask", "k2_bias", "v2_bias", "kernel")
    return dict(zip(names, options))


def _forward_on_host(inputs, options):
    *tensors, sink = inputs if len(inputs) == 6 else (*inputs, None)
    return _attention.attention(*tensors, sink=sink, return_lse=True, **_named(options))


def _backward_on_host(inputs, options):
    grad_o, o, lse, *inputs = inputs
    *tensors, sink = inputs if len(inputs) == 6 else (*inputs, None)
    gradients = _attention.attention_backward(grad_o, *tensors, o, lse, sink=sink, **_named(options))
    return tuple(gradient for gradient in gradients if gradient is not None)


def _call(function, shapes, options, arrays):
    results = tuple(jax.ShapeDtypeStruct(shape, numpy.float32) for shape in shapes)
    return jax.pure_callback(lambda *given: _each(function, given, options), results, *arrays, vmap_method="broadcast_all")


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _attention_of(options, inputs):
    batch, seq_len, q_heads, _ = inputs[0].shape
    o, lse = _call(_forward_on_host, (inputs[0].shape, (batch, q_heads, seq_len)), options, inputs)
    return o, jax.lax.stop_gradient(lse)


def _keep(options, inputs):
    o, lse = _attention_of(options, inputs)
    return (o, lse), (inputs, o, lse)


def _differentiate(options, kept, gradients):
    inputs, o, lse = kept
    return (_call(_backward_on_host, tuple(x.shape for x in inputs), options, (gradients[0], o, lse, *inputs)),)


_attention_of.defvjp(_keep, _differentiate)
