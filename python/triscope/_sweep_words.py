"""The arguments of triscope.measure as words of `triscope sweep`; ValueError names the argument that is wrong."""

import os
import re

from . import _library, _options

DEVICES = {"cpu": "cpu", "cuda": "0"}  # as --device has them
_BESIDE = {"cpu": ("cpu.fast",), "cuda": ("cuda.hopper", "cuda.portable", "baseline.fa3")}
_TAKEN = ("cpu", "cuda", "baseline")  # what ids of Triscope's own kernels begin with


def _sizes(name, value):
    if isinstance(value, (list, tuple)) and not value:
        raise ValueError(f"{name} is {_options.said(value)}, but must be a whole number or a list of some")
    return ",".join(str(_options.whole(name, one)) for one in (value if isinstance(value, (list, tuple)) else (value,)))


def _window(name, value):
    return "x".join(map(str, _options.window(value)))


def _number(name, value):
    return repr(_options.number(name, value))


def _choice_of(choices):
    def chosen(name, value):
        _options.choice(name, value, choices)
        return value
    return chosen


_PROBLEM = {"window": ("--windows", _window), "seq_len": ("--seq", _sizes), "batch": ("--batch", _sizes), "q_heads": ("--q-heads", _sizes),
            "kv_heads": ("--kv-heads", _sizes), "head_dim": ("--head-dim", _sizes), "form": ("--form", _choice_of(_library.FORMS)),
            "mask": ("--mask", _choice_of(_library.MASKS)), "scale": ("--scale", _number), "k2_bias": ("--k2-bias", _number),
            "v2_bias": ("--v2-bias", _number), "sink": ("--sink", _number)}


def _of_problem(problem):
    if not isinstance(problem, dict):
        raise ValueError(f"problem is {_options.said(problem)}, but must be a dict, such as dict(window=(512, 32))")
    unknown = [key for key in problem if key not in _PROBLEM]
    if unknown:
        raise ValueError(f"problem has the key {unknown[0]!r}, but may have only: {', '.join(_PROBLEM)}")
    if "window" not in problem:
        raise ValueError("problem has no window: give the two lengths, such as window=(512, 32)")
    for key, value in problem.items():
        option, word = _PROBLEM[key]
        if value is not None:
            yield f"{option}={word(key, value)}"


def text(name, value, example):
    """A time or a share, which `triscope sweep` reads."""
    if not isinstance(value, str):
        raise ValueError(f"{name} is {_options.said(value)}, but must be a text such as {example!r}")
    return value


def path(db):
    try:
        return os.fspath(db)
    except TypeError as error:
        raise ValueError(f"db is {_options.said(db)}, but must be the path of a database") from error


def kernel_name(name, given):
    """Refuses what cannot be the id of a kernel. `given`: whether it is the argument, or the function's own name."""
    if isinstance(name, str) and re.fullmatch("[a-z0-9._-]{1,40}", name) and name.split(".")[0] not in _TAKEN:
        return
    rest = "" if given else ", as the function is called; pass another one"
    raise ValueError(f"name is {_options.said(name)}, but must be up to 40 of a-z 0-9 . _ - and begin with none of cpu, cuda and "
                     f"baseline{rest}")


def _beside(beside, device):
    if beside is None:
        return _BESIDE[device]
    if isinstance(beside, str) or not all(isinstance(one, str) and one and "," not in one for one in _listed(beside)):
        raise ValueError(f"beside is {_options.said(beside)}, but must be a list of ids of kernels, such as [\"cpu.fast\"]")
    return list(beside)


def _listed(beside):
    return beside if isinstance(beside, (list, tuple, set, frozenset)) else (None,)


def new(file, device, backward, problem, beside, budget, precision, restarts):
    """Of a sweep that begins."""
    if problem is None:
        raise ValueError("problem is None: give a dict, such as dict(window=(512, 32)); only with resume it is left out")
    return [",".join([file, *_beside(beside, device)]), "--device", DEVICES[device], "--pass", "forward,backward" if backward else "forward",
            "--budget", text("budget", "10s" if budget is None else budget, "10s"),
            "--precision", text("precision", "0.5%" if precision is None else precision, "0.5%"),
            "--restarts", str(_options.whole("restarts", restarts)), *_of_problem(problem)]


def resumed(file, sweep, **told):
    """Of a sweep that goes on with what it was told when it began; `told` is what it cannot be told again."""
    _options.whole("resume", sweep)
    for name, value in told.items():
        if value is not None:
            raise ValueError(f"{name} is {_options.said(value)}, but resume={sweep} goes on with what that sweep was told when it "
                             "began; leave it out")
    return [file, "--resume", str(sweep)]
