"""A callable as the functions of include/triscope/attention.h, for the worker in the same process."""

import ctypes
import inspect

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


def table(kernel, version, functions):
    """The table of one kernel. `functions`: "forward", and "backward" where there is one. Keep it while it is in use."""
    made = _Kernel(kernel, version, functions)
    result = Table(**{name: kind(getattr(made, name)) for name, kind in _TYPES.items()})
    result.owner = made
    return result


def _say(reason, size, text):
    """Cut to the buffer, without half a character."""
    if not reason or not size:
        return
    words = " ".join(text.split()).encode()[:size - 1].decode(errors="ignore").encode()
    _C.memmove(reason, words + b"\0", len(words) + 1)


def _view(address, shape, writable=False):
    """The memory of a tensor as a numpy array, without a copy. numpy forbids to write into an input."""
    count = int(numpy.prod(shape))
    array = numpy.ctypeslib.as_array((_C.c_float * count).from_address(address)).reshape(shape)
    array.flags.writeable = writable
    return array


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


def _store(name, value, into):
    if not isinstance(value, numpy.ndarray):
        raise TypeError(f"{name} must be a numpy array, but it returned {type(value).__name__}")
    if value.shape != into.shape:
        raise ValueError(f"{name} must have shape {into.shape}, but it returned {value.shape}")
    if value.dtype != numpy.float32:
        raise TypeError(f"{name} must be float32, but it returned {value.dtype}")
    into[...] = value


def _tuple_of(result, names):
    if not isinstance(result, tuple) or len(result) != len(names):
        what = f"{len(result)} values" if isinstance(result, tuple) else type(result).__name__
        raise TypeError(f"it must return a tuple of {', '.join(names)}, but it returned {what}")
    return result


class _Kernel:
    def __init__(self, kernel, version, functions):
        self._kernel, self._version = (_C.create_string_buffer(text.encode()) for text in (kernel, version))
        self._functions = functions

    def version(self):
        return _library.VERSION

    def kernel(self, index):
        return _C.addressof(self._kernel) if index == 0 else None

    def device(self, _):
        return _library.CPU

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
        if problem.element != _library.FP32:
            return "numpy has no bfloat16"
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
        inputs = [_view(tensors.q, query), *(_view(getattr(tensors, name), key) for name in ("k1", "k2", "v1", "v2"))]
        options = _options(problem)
        if problem.has_sink:
            options["sink"] = _view(tensors.sink, (problem.q_heads,))
        forward = direction == _library.FORWARD
        o, lse = _view(tensors.o, query, forward), _view(tensors.lse, rows, forward)
        if forward:
            names, into = ("o", "lse"), (o, lse)
            result = self._functions["forward"](*inputs, **options)
        else:
            names = _GRADIENTS + (("grad_sink",) if problem.has_sink else ())
            shapes = (query, key, key, key, key, (problem.q_heads,))
            into = [_view(getattr(tensors, name), shape, True) for name, shape in zip(names, shapes)]
            result = self._functions["backward"](_view(tensors.grad_o, query), *inputs, o, lse, **options)
        for name, value, place in zip(names, _tuple_of(result, names), into):
            _store(name, value, place)
