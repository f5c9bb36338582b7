"""attention and its backward, over numpy arrays."""

import ctypes
import functools
import sys
import typing

import numpy

from . import _library, _options

_ALIGNMENT = 256


def _enough_memory(function):
    """Of numpy's MemoryError a RuntimeError, as the library has it."""
    @functools.wraps(function)
    def called(*arguments, **options):
        try:
            return function(*arguments, **options)
        except MemoryError as error:
            raise RuntimeError(f"there is not enough memory ({error}); use a smaller problem, or free some") from error
    return called


class Gradients(typing.NamedTuple):
    """What attention_backward returns: each gradient has the shape of its tensor; `sink` is None without a sink."""

    q: numpy.ndarray
    k1: numpy.ndarray
    k2: numpy.ndarray
    v1: numpy.ndarray
    v2: numpy.ndarray
    sink: typing.Optional[numpy.ndarray]


def attention(q, k1, k2, v1, v2, window=(512, 32), scale=None, form="trilinear", mask="causal", k2_bias=0.0, v2_bias=0.0,
              sink=None, kernel=None, return_lse=False, float16=None, deterministic=None):
    """2-simplicial attention: o, of the shape and the kind of q.

    q                 [batch, seq_len, q_heads, head_dim]; copied when it is not contiguous
    k1, k2, v1, v2    [batch, seq_len, kv_heads, head_dim]; q_heads is a multiple of kv_heads
    window            keys that a query sees on axis 1 and on axis 2, itself counted
    scale             of the logits; None: 1 / sqrt(head_dim)
    form              "trilinear" or "determinant"
    mask              "causal", or "full": every pair of keys, whatever the window (CPU only)
    k2_bias, v2_bias  added to every element of k2, of v2
    sink              [q_heads], a logit for each query head that has no value
    kernel            None: "cuda" for tensors on a GPU, else "cpu.fast"; "cpu.oracle" computes in double precision, slowly
    return_lse        True: (o, lse), as attention_backward needs them; lse is [batch, q_heads, seq_len], float32, and has no
                      gradient
    float16           None: float16 is refused; "bfloat16": torch's float16 tensors are computed in bfloat16
    deterministic     True: gradients that are bit-identical from run to run, as on the CPU they always are; None: as torch's
                      use_deterministic_algorithms says, for other arrays False

    numpy arrays, and tensors of torch and arrays of JAX on the CPU, are float32; torch's and JAX's on a GPU are bfloat16. Both
    are differentiated, JAX's under jit and vmap too; of numpy attention_backward gives the gradients. Scale and biases are plain
    numbers and have none. ValueError names the argument that is wrong. RuntimeError: there is not enough memory, or this process
    was forked after attention had run on the CPU. Formulas: docs/method.md.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(q, torch.Tensor):
        # An import statement takes microseconds each time. torch.compile would guard what sys.modules has, which the import changes.
        of_torch = None if torch.compiler.is_compiling() else sys.modules.get("triscope._torch")
        if of_torch is None:
            from . import _torch as of_torch

        return of_torch.attention(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel, return_lse, float16,
                                  deterministic)
    if float16 is not None:
        raise ValueError(f"float16 is {_options.said(float16)}, but only torch tensors can be float16; leave it None")
    deterministic = _options.flag("deterministic", deterministic)
    jax = sys.modules.get("jax")
    if jax is not None and any(isinstance(x, jax.Array) for x in (q, k1, k2, v1, v2, sink)):
        from . import _jax

        return _jax.attention(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel, return_lse,
                              bool(deterministic))
    return _of_numpy(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel, return_lse)


@_enough_memory
def _of_numpy(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel, return_lse):
    problem, tensors = _read(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel)
    tensors["o"] = numpy.empty(tensors["q"].shape, numpy.float32)
    tensors["lse"] = numpy.empty(_lse_shape(tensors["q"]), numpy.float32)
    _launch(kernel, problem, _library.FORWARD, tensors)
    return (tensors["o"], tensors["lse"]) if return_lse else tensors["o"]


@_enough_memory
def attention_backward(grad_o, q, k1, k2, v1, v2, o, lse, window=(512, 32), scale=None, form="trilinear", mask="causal",
                       k2_bias=0.0, v2_bias=0.0, sink=None, kernel=None):
    """The gradients of attention over numpy arrays, as Gradients; bit-identical from run to run. torch and JAX differentiate
    attention themselves.

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
    """`value` as a contiguous float32 array of that shape; None: any shape."""
    if not any(hasattr(value, way) for way in ("__array__", "__array_interface__")):
        raise ValueError(f"{name} is {_options.said(value)}, but must be an array of numpy, or one of torch or JAX")
    if isinstance(value, numpy.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array, and no kernel knows its mask; pass {name}.filled(0), say, if that is meant")
    try:
        array = numpy.asarray(value)
    except Exception as error:
        why = str(error).strip().split("\n")[0].split(". ")[0]
        raise ValueError(f"{name} is not an array that numpy can read ({why}); pass a numpy array") from error
    if array.dtype != numpy.float32:
        raise ValueError(f"{name} has dtype {array.dtype}, but the kernels compute in float32; pass "
                         f"{name}.astype(numpy.float32)")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, but must be {shape}; arrays are [batch, seq_len, heads, head_dim] "
                         "(lse: [batch, heads, seq_len]), so swap axes 1 and 2 of others")
    return numpy.ascontiguousarray(array)


def _lse_shape(q):
    return (q.shape[0], q.shape[2], q.shape[1])


def _read(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel):
    """The problem, and the inputs by name; ValueError when an argument cannot be meant."""
    _options.kernel(kernel)
    tensors = {name: _tensor(name, value) for name, value in (("q", q), ("k1", k1), ("k2", k2), ("v1", v1), ("v2", v2))}
    q_shape, k1_shape = tensors["q"].shape, tensors["k1"].shape
    _options.shapes(q_shape, k1_shape, {name: tensors[name].shape for name in ("k2", "v1", "v2")})
    if sink is not None:
        tensors["sink"] = _tensor("sink", sink, (q_shape[2],))
    return _options.problem(q_shape, k1_shape[2], _library.FP32, window, scale, form, mask, k2_bias, v2_bias,
                            sink is not None), tensors


def _launch(kernel, problem, direction, tensors):
    needed = ctypes.c_size_t()
    _library.call("workspace", kernel, problem, direction, ctypes.byref(needed))
    memory = numpy.empty(needed.value + _ALIGNMENT, numpy.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    pointers = _library.new(_library.Tensors, workspace=memory.ctypes.data + start, workspace_bytes=needed.value,
                            **{name: array.ctypes.data for name, array in tensors.items()})
    _library.call("launch", kernel, problem, direction, ctypes.byref(pointers), None)
