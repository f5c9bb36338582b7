"""libtriscope_attention.so through ctypes: the structs and functions of include/triscope/attention.h."""

import ctypes
import functools
import os
import pathlib

VERSION = 1  # TRISCOPE_ATTENTION_VERSION of the header that this file repeats
FORMS = {"trilinear": 0, "determinant": 1}
MASKS = {"causal": 0, "full": 1}
FP32, BF16 = 0, 1
FORWARD, BACKWARD = 0, 1
CPU, CUDA = 0, 1
_FAILED = 4
_REASON_SIZE = 1024
_Reason = ctypes.c_char * _REASON_SIZE
_launched = False    # by this process: GCC's OpenMP then has threads, which a fork does not copy
_forked = False      # from a process that had launched


def _after_fork():
    global _forked
    _forked = _forked or _launched


os.register_at_fork(after_in_child=_after_fork)


class Problem(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        *[(name, ctypes.c_int32) for name in ("form", "mask", "element", "deterministic")],
        *[(name, ctypes.c_int64) for name in ("batch", "seq_len", "q_heads", "kv_heads", "head_dim", "window1", "window2")],
        *[(name, ctypes.c_int32) for name in ("has_scale", "has_sink")],
        *[(name, ctypes.c_double) for name in ("scale", "k2_bias", "v2_bias")],
        *[(name, ctypes.c_int64) for name in ("query_len", "cache_len", "packed_sequences")],
        *[(name, ctypes.c_int32) for name in ("padding", "reserved")],
    ]


class Tensors(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        *[(name, ctypes.c_void_p) for name in ("q", "k1", "k2", "v1", "v2", "sink", "o", "lse", "grad_o", "grad_q", "grad_k1",
                                               "grad_k2", "grad_v1", "grad_v2", "grad_sink", "workspace")],
        ("workspace_bytes", ctypes.c_size_t),
        ("lse_state", ctypes.c_void_p),
    ]


TENSORS_SIZE = ctypes.sizeof(Tensors)


class Plan(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("workspace_bytes", ctypes.c_size_t), ("content", ctypes.c_uint64 * 62)]


def new(struct, **members):
    """One of these structs, its size set."""
    return struct(size=ctypes.sizeof(struct), **members)


@functools.lru_cache(maxsize=None)
def library():
    """The library, its functions typed."""
    path = pathlib.Path(__file__).with_name("libtriscope_attention.so")
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"triscope's library cannot be loaded ({error}); it needs libstdc++ and libgomp: install them, or "
                          "install the wheel for this machine") from error
    if loaded.triscope_attention_version() != VERSION:
        raise ImportError(f"{path} has another version than this package: install the wheel again")
    loaded.triscope_kernel_device.argtypes = [ctypes.c_char_p]
    loaded.triscope_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    return loaded


def device_of(kernel):
    """CPU or CUDA; -1 when there is no kernel of that id."""
    return library().triscope_kernel_device(kernel.encode())


def refuse_a_fork():
    """Before something that may launch on the CPU."""
    global _launched
    if _forked and os.environ.get("OMP_NUM_THREADS") != "1":
        raise RuntimeError("this process was forked after attention had run, and OpenMP would wait for ever for threads that "
                           "a fork does not copy; start processes by multiprocessing's \"spawn\", or set "
                           "OMP_NUM_THREADS=1 before Python starts")
    _launched = True


def _require(status, reason):
    if status:
        raise (RuntimeError if status == _FAILED else ValueError)(reason.value.decode(errors="replace"))


def call(function, kernel, problem, direction, *arguments):
    """Calls triscope_<function>. ValueError with the library's sentence when it refuses, RuntimeError when it fails."""
    if function == "launch":
        refuse_a_fork()
    reason = _Reason()
    status = getattr(library(), f"triscope_{function}")(
        None if kernel is None else kernel.encode(), ctypes.byref(problem), ctypes.c_int32(direction), *arguments, reason,
        ctypes.c_size_t(_REASON_SIZE))
    _require(status, reason)


def run(plan, device, tensors, stream):
    """Runs a plan that call("prepare", ...) made; `tensors` is a Tensors, `stream` an integer. Raises as `call`."""
    if device == CPU:
        refuse_a_fork()
    reason = _Reason()
    _require(library().triscope_run(ctypes.addressof(plan), ctypes.addressof(tensors), stream, reason, _REASON_SIZE), reason)
