"""attention over JAX arrays: calls of the library through XLA's foreign function interface, with a derivative, under jit and vmap."""

import functools
import importlib

import jax
import numpy

from . import _library, _options

# Of each kind of device: the element type of its kernels, by both names, and the kernel that None means.
_DEVICES = {"cpu": ("float32", _library.FP32, "cpu.fast"), "gpu": ("bfloat16", _library.BF16, "cuda")}
# What XLA calls on each of its platforms. Each refuses the other's tensors: where what is traced will run, nobody knows before.
_ENTRIES = {"cpu": "triscope_xla_call", "CUDA": "triscope_xla_call_cuda"}
_NAMES = ("q", "k1", "k2", "v1", "v2")


@functools.lru_cache(maxsize=None)
def _target():
    """The name under which XLA calls the library."""
    try:
        ffi = importlib.import_module("jax.ffi")
    except ImportError as error:
        raise ImportError(f"triscope needs jax 0.5 or later, and this is {jax.__version__}: install a newer one") from error
    for platform, entry in _ENTRIES.items():
        ffi.register_ffi_target("triscope_attention", ffi.pycapsule(getattr(_library.library(), entry)), platform=platform)
    return "triscope_attention"


def attention(q, k1, k2, v1, v2, window, scale, form, mask, k2_bias, v2_bias, sink, kernel, return_lse, deterministic):
    """triscope.attention for JAX arrays; the arguments are its own."""
    tensors = {"q": q, "k1": k1, "k2": k2, "v1": v1, "v2": v2, **({} if sink is None else {"sink": sink})}
    for name, value in tensors.items():
        if not isinstance(value, (jax.Array, numpy.ndarray)):
            raise ValueError(f"{name} is a {type(value).__name__}, but must be a JAX array, as others are")
    device = _device_of(tensors)
    dtype, element, best = _DEVICES[device]
    for name, value in tensors.items():
        wanted = "float32" if name == "sink" else dtype
        if value.dtype != wanted:
            raise ValueError(f"{name} has dtype {value.dtype}, but the kernels of the {device.upper()} compute in {dtype}; pass "
                             f"{name}.astype(jax.numpy.{wanted})")
    _options.shapes(q.shape, k1.shape, {name: tensors[name].shape for name in ("k2", "v1", "v2")})
    if sink is not None and sink.shape != (q.shape[2],):
        raise ValueError(f"sink has shape {sink.shape}, but must be {(q.shape[2],)}")
    kernel = _options.kernel(kernel) or best
    problem = _options.problem(q.shape, k1.shape[2], element, window, scale, form, mask, k2_bias, v2_bias, sink is not None, deterministic)
    if device == "gpu" and _library.device_of("cuda") == -1:
        raise ValueError("q lies on a GPU, but this package was built without kernels for GPUs; build the wheel after ./run build "
                         "--cuda")
    if _library.device_of(kernel) not in (-1, _library.CPU if device == "cpu" else _library.CUDA):
        raise ValueError(f"kernel is {kernel!r}, which does not run on a {device.upper()}, where q lies; move the arrays")
    for direction in (_library.FORWARD, _library.BACKWARD):
        _library.call("supported", kernel, problem, direction)
    if device == "cpu":
        _library.refuse_a_fork()  # what is compiled here runs later, and nothing of Python is asked then
    numbers = tuple(numpy.frombuffer(bytes(problem), numpy.int64).tolist())
    made = _attention_of((kernel, numbers, jax.numpy.dtype(dtype)), tuple(tensors.values()))
    return made if return_lse else made[0]


def _device_of(tensors):
    """"cpu" or "gpu": where the arrays lie. Of what is traced the element type says which kernel is meant, and XLA where it runs."""
    places = {name: {device.platform for device in x.devices()} for name, x in tensors.items()
              if isinstance(x, jax.Array) and not isinstance(x, jax.core.Tracer)}
    if any(isinstance(x, jax.core.Tracer) for x in tensors.values()):  # the others are its constants, and move
        element = tensors["q"].dtype.name
        return "gpu" if element == "bfloat16" and _has_gpu() else "cpu" if element == "float32" else _default()
    first, *_ = places
    for name, platforms in places.items():
        if platforms != places[first]:
            raise ValueError(f"{name} lies on {' and '.join(sorted(platforms))}, but {first} on {' and '.join(sorted(places[first]))}; "
                             "move it there")
    platform, *others = sorted(places[first])
    if others or platform not in _DEVICES:
        raise ValueError(f"{first} lies on {' and '.join(sorted(places[first]))}, but the kernels run on cpu and gpu; move it there")
    return platform


def _has_gpu():
    try:
        return bool(jax.devices("gpu"))
    except RuntimeError:  # no such backend
        return False


def _default():
    return "gpu" if jax.default_backend() == "gpu" else "cpu"


def _call(direction, shapes, call, arrays):
    """One pass. A vmap adds dimensions in front of all arrays, which the library takes as that many problems."""
    kernel, problem, _ = call
    results = tuple(jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes)
    function = jax.ffi.ffi_call(_target(), results, vmap_method="broadcast_all")
    return function(*arrays, kernel=kernel, problem=numpy.array(problem, numpy.int64), **{"pass": numpy.array([direction], numpy.int64)})


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _attention_of(call, inputs):
    return _forward(call, inputs)[:2]


def _forward(call, inputs):
    batch, seq_len, q_heads, _ = inputs[0].shape
    shapes = ((inputs[0].shape, call[2]), ((batch, q_heads, seq_len), numpy.float32), ((1,), numpy.int32))
    o, lse, state = _call(_library.FORWARD, shapes, call, inputs)
    return o, jax.lax.stop_gradient(lse), state


def _keep(call, inputs):
    o, lse, state = _forward(call, inputs)
    return (o, lse), (inputs, o, lse, state)


def _differentiate(call, kept, gradients):
    inputs, *made = kept
    shapes = tuple((x.shape, x.dtype) for x in inputs)
    return (_call(_library.BACKWARD, shapes, call, (gradients[0], *made, *inputs)),)


_attention_of.defvjp(_keep, _differentiate)
