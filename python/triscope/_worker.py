"""python -m triscope._worker: triscope-worker with a callable as one more kernel. `triscope.measure` names it as the worker."""

import contextlib
import ctypes
import os
import pathlib
import sys

from . import _function_file, _function_kernel


def _option(name):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv[:-1] else None


def library():
    """The worker's own library."""
    return ctypes.CDLL(str(pathlib.Path(__file__).with_name("libtriscope_worker.so")))


def memory(device):
    """What turns addresses of `device` into arrays."""
    if device == "cpu":
        return _function_kernel.Host()
    from . import _function_cuda  # torch takes seconds to import
    return _function_cuda.Device()


@contextlib.contextmanager
def _nobody_talks():
    """What code of the user's prints goes to stderr, and what it reads is nothing: both pipes are for messages."""
    pipes = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        for kept, place in zip(pipes, (0, 1)):
            os.dup2(kept, place)
        for number in (*pipes, nothing):
            os.close(number)


def main():
    file = _option("--plugin")
    if file is None:
        sys.exit("triscope._worker: no callable was named: it is started by triscope.measure")
    try:
        with _nobody_talks():
            *loaded, device = _function_file.load(pathlib.Path(file).read_bytes(), _option("--plugin-sha256"), late=True)
            arrays = memory(device)
    except Exception as error:
        sys.exit(f"the callable cannot be loaded ({type(error).__name__}: {error})")
    kernels = _function_kernel.table(*loaded, arrays)
    words = [b"triscope-worker", *(word.encode() for word in sys.argv[1:])]
    return library().triscope_worker_main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words), ctypes.byref(kernels))


if __name__ == "__main__":
    sys.exit(main())
