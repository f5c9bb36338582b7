"""triscope.measure: a Python callable as a kernel of a sweep."""

import contextlib
import importlib.util
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading

from . import _database, _function_file, _options, _programs, _sweep_words
from ._progress import Progress


def measure(function, problem=None, *, db, backward=None, name=None, device="cpu", beside=None, budget=None, precision=None,
            restarts=None, time_limit="2min", resume=None, progress=True, own_process=False):
    """Measures `function` in turns with the kernels `beside`, and returns the rows of the sweep as Columns.

    function(q, k1, k2, v1, v2, *, window, ...) returns (o, lse), float32 arrays of numpy or JAX; backward(grad_o, q, k1, k2, v1, v2, o, lse,
    *, window, ...) returns the gradients of q, k1, k2, v1, v2, and of sink where there is one. Inputs are views that cannot be
    written. Arguments beyond window (form, mask, scale, k2_bias, v2_bias, sink) are given where they differ from the defaults
    of triscope.attention.

    `problem` is a dict: window=(512, 32), and what differs from `triscope sweep` of seq_len, batch, q_heads, kv_heads, head_dim,
    form, mask, scale, k2_bias, v2_bias, sink; a list of lengths, heads, dimensions or batches means each. A wrong result, an
    exception, a crash or a hang is the status and reason of a row. With device="cuda" the function is one of torch: tensors
    and results are bfloat16 on the GPU, lse and sink float32, and what it puts on the current stream of torch is measured. It must
    not write into its inputs, nor wait for the GPU.

    `beside` is cpu.fast, or cuda.hopper, cuda.portable and baseline.fa3 for a GPU. Empty, it means every kernel that runs here.
    `budget` ("10s") is the longest time to sample one row, `precision` ("0.5%") the half-width at which it is known, `time_limit` the
    longest silence of a worker. `resume` is the number of a sweep to go on with: the callable must be the same, and the problem,
    beside, budget, precision and restarts are those of that sweep and not given again.

    The function runs in processes of their own, three a row unless `restarts` says otherwise. With own_process=True it runs in
    this one, in another thread: it may be any callable, but a crash ends this process, a hang goes on behind the sweep, and
    there is one process a row. The kernels beside it run in this process too, since they take turns with it. The instance of each
    such row ends with ".own-process".

    ValueError names the argument that is wrong, or says why the callable cannot be brought to another process or the sweep is
    refused.
    """
    program = _program()
    worker = pathlib.Path(__file__).with_name("libtriscope_worker.so")
    if not worker.exists():
        raise RuntimeError(f"there is no {worker}: install the wheel again")
    _options.choice("device", device, _sweep_words.DEVICES)
    if device == "cuda" and importlib.util.find_spec("torch") is None:
        raise ValueError('device="cuda" needs torch, which is not installed here')
    if own_process and restarts not in (None, 1):
        raise ValueError(f"restarts is {_options.said(restarts)}, but own_process=True has this one process: leave it out")
    db = _sweep_words.path(db)
    _sweep_words.kernel_name(_function_file.own_name(function) if name is None else name, name is not None)
    content = _function_file.content(function, backward, name, device, own_process)
    with tempfile.TemporaryDirectory(prefix="triscope-") as folder, contextlib.ExitStack() as until_then:
        file = pathlib.Path(folder, "callable.json")
        file.write_bytes(content)
        words = [program, "sweep", "--json", "--db", db, "--time-limit", _sweep_words.text("time_limit", time_limit, "2min"), "--kernel"]
        if resume is None:
            words += _sweep_words.new(str(file), device, backward, problem, beside, budget, precision,
                                      (1 if own_process else 3) if restarts is None else restarts)
        else:
            words += _sweep_words.resumed(str(file), resume, problem=problem, beside=beside, budget=budget, precision=precision,
                                          restarts=restarts)
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


@contextlib.contextmanager
def _ctrl_c_waits():
    """Ctrl+C within it counts at its end: while a program is being started, nobody could end it yet."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    pressed = []
    signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if pressed:
        usual(signal.SIGINT, None)


def _of_a_callable(text):
    """The program's sentence, which is about a file and a command that are gone, in words of who called `measure`."""
    for pattern, words in (("the kernel library '[^']*callable.json' cannot", "the callable cannot"),
                           ('the worker "[^"]*callable.json[^"]*" cannot be used', "the callable's process cannot be used"),
                           ("; run that command by hand: [^.]*[.]", "."), ("the library of kernels is not", "the callable is not"),
                           ("resume it with the same file", "resume it with the same function")):
        text = re.sub(pattern, words, text)
    return text


def _run(words, environment, wanted):
    """The number of the sweep. ValueError with the sentence of `triscope sweep` when it is refused."""
    with tempfile.TemporaryFile("w+") as errors:
        child = summary = None
        try:
            # In a session of its own, Ctrl+C reaches this process only, and the program gets one signal instead of two.
            with _ctrl_c_waits():
                child = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                         text=True, start_new_session=True)
            with Progress(wanted) as progress:
                for line in child.stdout:
                    message = json.loads(line)
                    if message["type"] == "progress":
                        progress.show(message)
                    elif message["type"] == "summary":
                        summary = message
        finally:
            if child is not None:
                child.stdout.close()
                if summary is None and child.poll() is None:
                    child.terminate()  # it stops after this sample and keeps everything
                child.wait()
        if summary is None:
            errors.seek(0)
            raise ValueError(_of_a_callable(errors.read().strip()) or f"triscope sweep ended with code {child.returncode}")
        return summary["sweep"]
