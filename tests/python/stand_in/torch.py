"""Stands in for torch where it is not installed: just enough, over numpy, to run the logic of triscope/_torch.py.

It says nothing about torch itself: its dispatcher, autograd, compiler and GPUs are tested where torch is.
"""
import types

import numpy

STAND_IN = True
__version__ = "a stand-in"


class dtype:
    def __init__(self, name, numpy_type):
        self.name, self.numpy_type = name, numpy_type

    def __repr__(self):
        return f"torch.{self.name}"


int32 = dtype("int32", numpy.int32)
float16, float32, float64 = (dtype(name, getattr(numpy, name)) for name in ("float16", "float32", "float64"))
bfloat16, int64, uint8 = dtype("bfloat16", numpy.float32), dtype("int64", numpy.int64), dtype("uint8", numpy.uint8)
_OF_NUMPY = {numpy.dtype(kind.numpy_type): kind for kind in (bfloat16, float16, float32, float64, int32, int64, uint8)}


class device:
    def __init__(self, type, index=None):
        self.type, self.index = type, index

    def __eq__(self, other):
        return (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __repr__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"


class Tensor:
    def __init__(self, array, kind=None, where=None):
        self._array, self.dtype, self.device = array, kind or _OF_NUMPY[array.dtype], where or device("cpu")

    shape = property(lambda self: self._array.shape)

    is_cuda = requires_grad = False

    def requires_grad_(self):
        self.requires_grad = True
        return self

    def numpy(self):
        return self._array

    def __float__(self):
        return float(self._array)

    def is_contiguous(self):
        return self._array.flags.c_contiguous

    def is_floating_point(self):
        return self.dtype not in (int64, uint8)

    def to(self, kind):
        return self if kind is self.dtype else Tensor(self._array.astype(kind.numpy_type), kind, self.device)

    def float(self):
        return self.to(float32)

    def transpose(self, first, second):
        return Tensor(self._array.swapaxes(first, second), self.dtype, self.device)

    def contiguous(self):
        return self if self._array.flags.c_contiguous else self.clone()

    def clone(self):
        return Tensor(self._array.copy(), self.dtype, self.device)

    def data_ptr(self):
        return self._array.ctypes.data

    def new_empty(self, shape, dtype=None):
        return empty(shape, dtype or self.dtype, self.device)

    def zero_(self):
        self._array.fill(0)
        return self


def from_numpy(array):
    return Tensor(array)


def empty(shape, dtype=float32, device=None):
    return Tensor(numpy.empty(shape, dtype.numpy_type), dtype, device)


_grad_enabled = True
_modes = 0


def is_grad_enabled():
    return _grad_enabled


class _Setting:
    """As a context: one of the variables of this file has another value."""

    def __init__(self, name, value):
        self._name, self._value = name, value

    def __enter__(self):
        self._old, globals()[self._name] = globals()[self._name], self._value

    def __exit__(self, *_):
        globals()[self._name] = self._old


def no_grad():
    return _Setting("_grad_enabled", False)


def a_mode_of_dispatch():
    """Where torch traces or maps, calls go through the registered operators."""
    return _Setting("_modes", 1)


compiler = types.SimpleNamespace(is_compiling=lambda: False)
class _Parameter(Tensor):
    pass


nn = types.SimpleNamespace(Parameter=_Parameter)
_C = types.SimpleNamespace(_len_torch_dispatch_stack=lambda: _modes, _get_tracing_state=lambda: None,
                           _functorch=types.SimpleNamespace(peek_interpreter_stack=lambda: None))
cuda = types.SimpleNamespace(current_device=None)
_deterministic = False
_autocast = []


def use_deterministic_algorithms(mode):
    global _deterministic
    _deterministic = mode


def are_deterministic_algorithms_enabled():
    return _deterministic


class autocast:
    def __init__(self, device_type, dtype):
        self._now = (device_type, dtype)

    def __enter__(self):
        _autocast.append(self._now)

    def __exit__(self, *_):
        _autocast.pop()


def is_autocast_enabled(device_type):
    return any(where == device_type for where, _ in _autocast)


def get_autocast_dtype(device_type):
    return dict(_autocast)[device_type]


class _Function:
    """autograd.Function, whose backward a test calls by hand with `context`."""

    @classmethod
    def apply(cls, *arguments):
        cls.context, cls.arguments = _Context(), arguments
        return cls.forward(cls.context, *arguments)


autograd = types.SimpleNamespace(Function=_Function, forward_ad=types.SimpleNamespace(_current_level=-1))


class _Context:
    saved_tensors = ()

    def mark_non_differentiable(self, *_):
        pass

    def set_materialize_grads(self, _):
        pass

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors


class _Operator:
    """Calls the implementation of the CPU; what autograd would keep stays in `context`."""

    def __call__(self, *arguments):
        self.arguments = arguments
        output = self.implementations["CPU"](*arguments)
        shapes = self.fake(*arguments)
        assert [(x.shape, x.dtype) for x in output] == [(x.shape, x.dtype) for x in shapes], "the fake differs"
        self.context = _Context()
        if self.setup_context:
            self.setup_context(self.context, arguments, output)
        return output


ops = types.SimpleNamespace(triscope=types.SimpleNamespace())


class _Library:
    def __init__(self, namespace, kind):
        assert (namespace, kind) == ("triscope", "DEF")

    def define(self, schema):
        operator = _Operator()
        operator.implementations = {}
        setattr(ops.triscope, schema.split("(")[0], operator)

    def impl(self, name, function, key):
        getattr(ops.triscope, name).implementations[key] = function


def _register_fake(name, function, lib):
    getattr(ops.triscope, name.split("::")[1]).fake = function


def _register_autograd(name, backward, setup_context, lib):
    operator = getattr(ops.triscope, name.split("::")[1])
    operator.backward, operator.setup_context = backward, setup_context


library = types.SimpleNamespace(Library=_Library, register_fake=_register_fake, register_autograd=_register_autograd)
