"""A callable as the functions of include/triscope/attention.h, for the worker in the same process."""

import contextlib
import ctypes
import inspect
import sys

import numpy

from . import _library

_C = ctypes
_REASON = (_C.c_void_p, _C.c_size_t)
_UNSUPPORTED, _FAILED = 2, 4
_Asked = (_C.c_char_p, _C.POINTER(_library.Problem), _C.c_int32)
_TYPES = {
    "version": _C.CFUNCTYPE(_C.c_uint32),
    "kernel": _C.CFUNCTYPE(_C.c_void_p, _C.c_size_t),
    "device": _C.CFUNCTYPE(_C.c_int32, _C.c_char_p),
    "kernel_version": _C.CFUNCTYPE(_C.c_void_p, _C.c_char_p),
    "supported": _C.CFUNCTYPE(_C.c_int, *_Asked, *_REASON),
    "workspace": _C.CFUNCTYPE(_C.c_int, *_Asked, _C.POINTER(_C.c_size_t), *_REASON),
    "launch": _C.CFUNCTYPE(_C.c_int, *_Asked, _C.POINTER(_library.Tensors), _C.c_void_p, *_REASON),
}
_ROLES = {_library.FORWARD: "forward", _library.BACKWARD: "backward"}
_GRADIENTS = ("grad_q", "grad_k1", "grad_k2", "grad_v1", "grad_v2")


class Table(ctypes.Structure):
    """triscope_worker_kernels of profiler/worker/main/worker_library.cpp."""

    _fields_ = list(_TYPES.items())


def table(kernel, version, functions, memory=None):
    """The table of one kernel. `functions`: "forward", and "backward" where there is one. `memory`: what turns addresses into
    arrays, Host when None. Keep the table while it is in use."""
    made = _Kernel(kernel, version, functions, Host() if memory is None else memory)
    result = Table(**{name: kind(getattr(made, name)) for name, kind in _TYPES.items()})
    result.owner = made
    return result


def _say(reason, size, text):
    """Cut to the buffer, without half a character."""
    if not reason or not size:
        return
    words = " ".join(text.split()).encode()[:size - 1].decode(errors="ignore").encode()
    _C.memmove(reason, words + b"\0", len(words) + 1)


class Host:
    """Tensors as numpy arrays on the CPU. What JAX returns is waited for and taken as an array of numpy."""

    device, element, other_element = _library.CPU, _library.FP32, "numpy has no bfloat16"

    def on(self, stream):
        return contextlib.nullcontext()

    def view(self, address, shape, writable=False, fp32=True):
        """The memory of a tensor, without a copy. numpy forbids to write into an input."""
        count = int(numpy.prod(shape))
        array = numpy.ctypeslib.as_array((_C.c_float * count).from_address(address)).reshape(shape)
        array.flags.writeable = writable
        return array

    def store(self, name, value, into):
        jax = sys.modules.get("jax")
        if jax is not None and isinstance(value, jax.Array):
            value = numpy.asarray(value)
        if not isinstance(value, numpy.ndarray):
            raise TypeError(f"{name} must be a numpy or JAX array, but it returned {type(value).__name__}")
        check(name, value, into)
        into[...] = value


def check(name, value, into):
    """TypeError or ValueError unless `value` has the shape and type of `into`."""
    if value.shape != into.shape:
        raise ValueError(f"{name} must have shape {tuple(into.shape)}, but it returned {tuple(value.shape)}")
    if value.dtype != into.dtype:
        raise TypeError(f"{name} must be {into.dtype}, but it returned {value.dtype}")


def _name_of(table_of_codes, code):
    return next(name for name, value in table_of_codes.items() if value == code)


def _options(problem):
    """Keyword arguments as of triscope.attention: window, and what differs from its defaults."""
    options = {"window": (problem.window1, problem.window2)}
    if problem.form:
        options["form"] = _name_of(_library.FORMS, problem.form)
    if problem.mask:
        options["mask"] = _name_of(_library.MASKS, problem.mask)
    if problem.has_scale:
        options["scale"] = problem.scale
    for bias in ("k2_bias", "v2_bias"):
        if getattr(problem, bias):
            options[bias] = getattr(problem, bias)
    return options


def _tuple_of(result, names):
    if not isinstance(result, tuple) or len(result) != len(names):
        what = f"{len(result)} values" if isinstance(result, tuple) else type(result).__name__
        raise TypeError(f"it must return a tuple of {', '.join(names)}, but it returned {what}")
    return result


class _Kernel:
    def __init__(self, kernel, version, functions, memory):
        self._kernel, self._version = (_C.create_string_buffer(text.encode()) for text in (kernel, version))
        self._functions, self._memory = functions, memory

    def version(self):
        return _library.VERSION

    def kernel(self, index):
        return _C.addressof(self._kernel) if index == 0 else None

    def device(self, _):
        return self._memory.device

    def kernel_version(self, _):
        return _C.addressof(self._version)

    def supported(self, _, problem, direction, reason, size):
        try:
            refusal = self._refusal(problem.contents, direction)
        except BaseException as error:  # nothing may leave a callback
            refusal = f"it could not be asked ({type(error).__name__}: {error})"
        _say(reason, size, refusal or "")
        return _UNSUPPORTED if refusal else 0

    def workspace(self, _, problem, direction, size, *reason):
        size[0] = 0
        return 0

    def launch(self, _, problem, direction, tensors, stream, reason, size):
        try:
            with self._memory.on(stream):
                self._run(problem.contents, direction, tensors.contents)
        except BaseException as error:  # SystemExit and KeyboardInterrupt too
            _say(reason, size, f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
            return _FAILED
        _say(reason, size, "")
        return 0

    def _refusal(self, problem, direction):
        function = self._functions.get(_ROLES[direction])
        if function is None:
            return "no function was given for the backward"
        if problem.element != self._memory.element:
            return self._memory.other_element
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return None  # of a function in C: its call will tell
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            return None
        taken = {parameter.name for parameter in parameters if parameter.kind is not parameter.POSITIONAL_ONLY}
        needed = [*_options(problem), *(["sink"] if problem.has_sink else [])]
        missing = [name for name in needed if name not in taken]
        return f"the function takes no argument {missing[0]}" if missing else None

    def _run(self, problem, direction, tensors):
        query = (problem.batch, problem.seq_len, problem.q_heads, problem.head_dim)
        key = (problem.batch, problem.seq_len, problem.kv_heads, problem.head_dim)
        rows = (problem.batch, problem.q_heads, problem.seq_len)
        def view(name, shape, writable=False, fp32=False):
            return self._memory.view(getattr(tensors, name), shape, writable, fp32)

        inputs = [view("q", query), *(view(name, key) for name in ("k1", "k2", "v1", "v2"))]
        options = _options(problem)
        if problem.has_sink:
            options["sink"] = view("sink", (problem.q_heads,), fp32=True)
        forward = direction == _library.FORWARD
        o, lse = view("o", query, forward), view("lse", rows, forward, fp32=True)
        if forward:
            names, into = ("o", "lse"), (o, lse)
            result = self._functions["forward"](*inputs, **options)
        else:
            names, shapes = _GRADIENTS, (query, key, key, key, key)
            into = [view(name, shape, True) for name, shape in zip(names, shapes)]
            if problem.has_sink:
                names, into = (*names, "grad_sink"), [*into, view("grad_sink", (problem.q_heads,), True, fp32=True)]
            result = self._functions["backward"](view("grad_o", query), *inputs, o, lse, **options)
        for name, value, place in zip(names, _tuple_of(result, names), into):
            self._memory.store(name, value, place)
