"""triscope.measure: a Python callable as a kernel of a sweep."""

import contextlib
import importlib.util
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

from . import _database, _function_file, _programs
from ._progress import Progress

_PROBLEM = {"window": "--windows", "seq_len": "--seq", "batch": "--batch", "q_heads": "--q-heads", "kv_heads": "--kv-heads",
            "head_dim": "--head-dim", "form": "--form", "mask": "--mask", "scale": "--scale", "k2_bias": "--k2-bias",
            "v2_bias": "--v2-bias", "sink": "--sink"}

_DEVICES = {"cpu": "cpu", "cuda": "0"}  # as --device has them
_BESIDE = {"cpu": ("cpu.fast",), "cuda": ("cuda.hopper", "cuda.portable", "baseline.fa3")}


def measure(function, problem, *, db, backward=None, name=None, device="cpu", beside=None, budget="10s", precision="0.5%",
            restarts=None, time_limit="2min", resume=None, progress=True, own_process=False):
    """Measures `function` in turns with the kernels `beside`, and returns the rows of the sweep as Columns.

    function(q, k1, k2, v1, v2, *, window, ...) returns (o, lse), float32 arrays of numpy or JAX; backward(grad_o, q, k1, k2, v1, v2, o, lse,
    *, window, ...) returns the gradients of q, k1, k2, v1, v2, and of sink where there is one. Inputs are views that cannot be
    written. Arguments beyond window (form, mask, scale, k2_bias, v2_bias, sink) are given where they differ from the defaults
    of triscope.attention.

    `problem` is a dict: window=(512, 32), and what differs from `triscope sweep` of seq_len, batch, q_heads, kv_heads, head_dim,
    form, mask, scale, k2_bias, v2_bias, sink. A wrong result, an exception, a crash or a hang is the status and reason of a row.
    With device="cuda" the function is one of torch: tensors and results are bfloat16 on the GPU, lse and sink float32, and what
    it puts on the current stream of torch is measured. It must not write into its inputs, nor wait for the GPU.

    `beside` is cpu.fast, or cuda.hopper, cuda.portable and baseline.fa3 for a GPU. Empty, it means every kernel that runs here.
    `resume` is the number of a sweep to go on with: the callable must be the same.

    The function runs in processes of their own, three a row unless `restarts` says otherwise. With own_process=True it runs in
    this one, in another thread: it may be any callable, but a crash ends this process, a hang goes on behind the sweep, and
    there is one process a row. The instance of such rows ends with ".own-process".

    ValueError when the callable cannot be brought to another process or the sweep is refused.
    """
    program = _program()
    worker = pathlib.Path(__file__).with_name("libtriscope_worker.so")
    if not worker.exists():
        raise RuntimeError(f"there is no {worker}: install the wheel again")
    if device not in _BESIDE:
        raise ValueError(f"device is {device!r}, but must be one of: {', '.join(_BESIDE)}")
    if device == "cuda" and importlib.util.find_spec("torch") is None:
        raise ValueError('device="cuda" needs torch, which is not installed here')
    if own_process and restarts not in (None, 1):
        raise ValueError(f"restarts is {restarts!r}, but own_process=True has this one process: leave it out")
    if restarts is None:
        restarts = 1 if own_process else 3
    beside = _BESIDE[device] if beside is None else beside
    content = _function_file.content(function, backward, name, device, own_process)
    with tempfile.TemporaryDirectory(prefix="triscope-") as folder, contextlib.ExitStack() as until_then:
        file = pathlib.Path(folder, "callable.json")
        file.write_bytes(content)
        words = [program, "sweep", "--json", "--db", os.fspath(db), "--time-limit", time_limit, "--kernel"]
        if resume is not None:
            words += [str(file), "--resume", str(int(resume))]
        else:
            words += [",".join([str(file), *beside]), "--device", _DEVICES[device], "--pass", "forward,backward" if backward else "forward",
                      "--budget", budget, "--precision", precision, "--restarts", str(restarts), *_options(problem)]
        if own_process:
            launcher = until_then.enter_context(_workers_here(content, function, backward, folder)).launcher(folder)
        else:
            launcher = _launcher(folder)
        sweep = _run(words, {**os.environ, "TRISCOPE_WORKER": launcher, "PYTHONPATH": _search_path()}, progress)
    with _database.open(db) as database:
        return database.results(sweep)


def _program():
    program = _programs.program("triscope")
    if program is None:
        raise RuntimeError("the program triscope is not here: install the wheel again, or put it on the PATH")
    return program


def _launcher(folder):
    """A program that becomes this Python with the worker inside."""
    path = pathlib.Path(folder, "triscope-worker")
    path.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m triscope._worker \"$@\"\n")
    path.chmod(0o700)
    return str(path)


def _workers_here(content, forward, backward, folder):
    from . import _own_process
    said = json.loads(content)
    functions = {"forward": forward, **({} if backward is None else {"backward": backward})}
    return _own_process.Workers(said["kernel"], said["version"], functions, said["device"], folder)


def _search_path():
    """Where this process finds modules, so that the worker finds the callable's too."""
    own = str(pathlib.Path(__file__).parents[1])
    return os.pathsep.join([*(entry or os.getcwd() for entry in sys.path), own])


def _options(problem):
    unknown = [key for key in problem if key not in _PROBLEM]
    if unknown:
        raise ValueError(f"problem has the key {unknown[0]!r}, but may have only: {', '.join(_PROBLEM)}")
    if "window" not in problem:
        raise ValueError("problem has no window: give the two lengths, such as window=(512, 32)")
    words = []
    for key, value in problem.items():
        if key == "window":
            try:
                first, second = value
            except (TypeError, ValueError) as error:
                raise ValueError(f"window is {value!r}, but must be two whole numbers, such as (512, 32)") from error
            value = f"{first}x{second}"
        words.append(f"{_PROBLEM[key]}={value}")
    return words


def _run(words, environment, wanted):
    """The number of the sweep. ValueError with the sentence of `triscope sweep` when it is refused."""
    with tempfile.TemporaryFile("w+") as errors:
        # In a session of its own, Ctrl+C reaches this process only, and the program gets one signal instead of two.
        child = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True,
                                 start_new_session=True)
        summary = None
        try:
            with Progress(wanted) as progress:
                for line in child.stdout:
                    message = json.loads(line)
                    if message["type"] == "progress":
                        progress.show(message)
                    elif message["type"] == "summary":
                        summary = message
        finally:
            child.stdout.close()
            if summary is None and child.poll() is None:
                child.terminate()  # it stops after this sample and keeps everything
            child.wait()
        if summary is None:
            errors.seek(0)
            raise ValueError(errors.read().strip() or f"triscope sweep ended with code {child.returncode}")
        return summary["sweep"]
