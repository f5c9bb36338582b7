"""attention and its backward, over numpy arrays."""

import ctypes
import operator
import typing

import numpy

from . import _library

_ALIGNMENT = 256


class Gradients(typing.NamedTuple):
    """What attention_backward returns: each gradient has the shape of its tensor; `sink` is None without a sink."""

    q: numpy.ndarray
    k1: numpy.ndarray
    k2: numpy.ndarray
    v1: numpy.ndarray
    v2: numpy.ndarray
    sink: typing.Optional[numpy.ndarray]


def attention(q, k1, k2, v1, v2, window=(512, 32), scale=None, form="trilinear", mask="causal", k2_bias=0.0, v2_bias=0.0,
              sink=None, kernel=None, return_lse=False):
    """2-simplicial attention: o [batch, seq_len, q_heads, head_dim], float32.

    q                 [batch, seq_len, q_heads, head_dim], float32; copied when it is not contiguous
    k1, k2, v1, v2    [batch, seq_len, kv_heads, head_dim]; q_heads is a multiple of kv_heads
    window            keys that a query sees on axis 1 and on axis 2, itself counted
    scale             of the logits; None: 1 / sqrt(head_dim)
    form              "trilinear" or "determinant"
    mask              "causal", or "full": every pair of keys, whatever the window
    k2_bias, v2_bias  added to every element of k2, of v2
    sink              [q_heads], a logit for each query head that has no value
    kernel            None: "cpu.fast"; "cpu.oracle" computes in double precision, slowly
    return_lse        True: (o, lse), as attention_backward needs them; lse is [batch, q_heads, seq_len]

    ValueError names the argument that is wrong. RuntimeError: there is not enough memory, or this process was forked
    after attention had run. Formulas: docs/method.md.
    """
    problem, tensors = _read(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel)
    tensors["o"] = numpy.empty(tensors["q"].shape, numpy.float32)
    tensors["lse"] = numpy.empty(_lse_shape(tensors["q"]), numpy.float32)
    _launch(kernel, problem, _library.FORWARD, tensors)
    return (tensors["o"], tensors["lse"]) if return_lse else tensors["o"]


def attention_backward(grad_o, q, k1, k2, v1, v2, o, lse, window=(512, 32), scale=None, form="trilinear", mask="causal",
                       k2_bias=0.0, v2_bias=0.0, sink=None, kernel=None):
    """The gradients of attention, as Gradients; bit-identical from run to run.

    grad_o    the gradient of o, of its shape
    o, lse    what attention(..., return_lse=True) returned for the same arguments
    All others are those of attention. ValueError names the argument that is wrong.
    """
    problem, tensors = _read(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel)
    shape = tensors["q"].shape
    tensors["grad_o"] = _tensor("grad_o", grad_o, shape)
    tensors["o"] = _tensor("o", o, shape)
    tensors["lse"] = _tensor("lse", lse, _lse_shape(tensors["q"]))
    names = ["q", "k1", "k2", "v1", "v2"] + (["sink"] if sink is not None else [])
    for name in names:
        tensors[f"grad_{name}"] = numpy.empty(tensors[name].shape, numpy.float32)
    _launch(kernel, problem, _library.BACKWARD, tensors)
    return Gradients(*(tensors.get(f"grad_{name}") for name in Gradients._fields))


def _tensor(name, value, shape=None):
    """`value` as a contiguous float32 array of that shape; None in it: any length."""
    try:
        array = numpy.asarray(value)
    except Exception as error:
        raise ValueError(f"{name} is not an array that numpy can read ({error}); pass a numpy array") from error
    if array.dtype != numpy.float32:
        raise ValueError(f"{name} has dtype {array.dtype}, but the kernels compute in float32; pass "
                         f"{name}.astype(numpy.float32)")
    if shape is None and array.ndim != 4:
        raise ValueError(f"{name} has shape {array.shape}, but must be [batch, seq_len, heads, head_dim]")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, but must be {shape}; arrays are [batch, seq_len, heads, head_dim] "
                         "(lse: [batch, heads, seq_len]), so swap axes 1 and 2 of others")
    return numpy.ascontiguousarray(array)


def _lse_shape(q):
    return (q.shape[0], q.shape[2], q.shape[1])


def _number(name, value):
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} is {value!r}, but must be a number") from error


def _choice(name, value, choices):
    if isinstance(value, str) and value in choices:
        return choices[value]
    raise ValueError(f"{name} is {value!r}, but must be one of: {', '.join(choices)}")


def _window(window):
    try:
        first, second = (operator.index(length) for length in window)
    except (TypeError, ValueError) as error:
        raise ValueError(f"window is {window!r}, but must be two whole numbers, such as (512, 32)") from error
    if not (1 <= first < 2**31 and 1 <= second < 2**31):
        raise ValueError(f"window is {window!r}, but both lengths must be at least 1 and below 2**31")
    return first, second


def _read(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel):
    """The problem, and the inputs by name; ValueError when an argument cannot be meant."""
    if kernel is not None and not isinstance(kernel, str):
        raise ValueError(f"kernel is {kernel!r}, but must be None or an id such as \"cpu.fast\"")
    tensors = {"q": _tensor("q", q), "k1": _tensor("k1", k1)}
    batch, seq_len, q_heads, head_dim = tensors["q"].shape
    kv_heads = tensors["k1"].shape[2]
    for name, value in {"k1": k1, "k2": k2, "v1": v1, "v2": v2}.items():
        tensors[name] = _tensor(name, value, (batch, seq_len, kv_heads, head_dim))
    if tensors["q"].size == 0 or kv_heads == 0:
        raise ValueError(f"{'k1' if tensors['q'].size else 'q'} is empty: each of its lengths must be at least 1")
    if q_heads % kv_heads:
        raise ValueError(f"q has {q_heads} heads, which is no multiple of the {kv_heads} heads of k1")
    if sink is not None:
        tensors["sink"] = _tensor("sink", sink, (q_heads,))
    problem = _library.Problem(
        size=ctypes.sizeof(_library.Problem), form=_choice("form", form, _library.FORMS),
        mask=_choice("mask", mask, _library.MASKS), batch=batch, seq_len=seq_len, q_heads=q_heads, kv_heads=kv_heads,
        head_dim=head_dim, has_scale=int(scale is not None), has_sink=int(sink is not None),
        scale=0.0 if scale is None else _number("scale", scale), k2_bias=_number("k2_bias", k2_bias),
        v2_bias=_number("v2_bias", v2_bias))
    problem.window1, problem.window2 = _window(window)
    return problem, tensors


def _launch(kernel, problem, direction, tensors):
    needed = ctypes.c_size_t()
    _library.call("workspace", kernel, problem, direction, ctypes.byref(needed))
    memory = numpy.empty(needed.value + _ALIGNMENT, numpy.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    pointers = _library.Tensors(size=ctypes.sizeof(_library.Tensors), workspace=memory.ctypes.data + start,
                                workspace_bytes=needed.value)
    for name, array in tensors.items():
        setattr(pointers, name, array.ctypes.data)
    _library.call("launch", kernel, problem, direction, ctypes.byref(pointers), None)
