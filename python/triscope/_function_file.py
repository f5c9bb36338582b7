"""The file that stands for a callable in a sweep: --kernel names it, and its SHA-256 is the kernel's source hash.

A module's function is kept by name, with the SHA-256 of the module's source; another by cloudpickle. It is written for one sweep
by `measure` and read by its worker. Nothing in a database leads to one.
"""

import base64
import hashlib
import importlib
import inspect
import json
import os
import re

OWN_PROCESS = ".own-process"  # the end of the version, which a row shows as its instance


def _source_hash(module):
    try:
        with open(inspect.getsourcefile(module), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except (OSError, TypeError):
        return None


def _hash_of_text(function):
    """Of a function's own text. What it closes over is not in it, so a closure has none."""
    if getattr(function, "__closure__", None):
        return None
    try:
        return hashlib.sha256(inspect.getsource(function).encode()).hexdigest()
    except (OSError, TypeError):
        return None


def _by_name(function):
    """(module, name, hash of its source) when importing leads to this very function, otherwise None."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if module in (None, "__main__") or name is None or not name.isidentifier():
        return None
    try:
        imported = importlib.import_module(module)
    except ImportError:
        return None
    source = _source_hash(imported)
    return (module, name, source) if getattr(imported, name, None) is function and source else None


def _described(role, function, stays):
    """`stays`: the function stays in this process. One that has no source to be hashed gets a hash that none has again."""
    if not callable(function):
        raise ValueError(f"{role} is {function!r}, but must be callable")
    named = _by_name(function)
    if named:
        return dict(zip(("module", "name", "source_sha256"), named))
    module, name = str(getattr(function, "__module__", "")), getattr(function, "__name__", "function")
    if stays:
        return {"module": module, "name": name, "source_sha256": _hash_of_text(function) or os.urandom(32).hex()}
    try:
        import cloudpickle
    except ImportError as error:
        raise ValueError(f"{role} cannot be imported by another process: put it at the top of a module of its own, or "
                         "install cloudpickle") from error
    try:
        pickled = cloudpickle.dumps(function)
    except Exception as error:
        raise ValueError(f"{role} cannot be pickled ({error}): put it at the top of a module of its own") from error
    return {"module": module, "name": name, "pickle": base64.b64encode(pickled).decode()}


def plain_name(text):
    """Of the letters that ids and versions of kernels may have."""
    return re.sub("[^a-z0-9._-]", "_", text.lower())[:40]


def own_name(function):
    """What a kernel is called where no name is given."""
    return plain_name(getattr(function, "__name__", "function"))


def content(forward, backward, name, device="cpu", own_process=False):
    """The bytes of the file. ValueError when a function cannot be brought to another process."""
    functions = {"forward": _described("function", forward, own_process)}
    if backward is not None:
        functions["backward"] = _described("backward", backward, own_process)
    said = functions["forward"]
    version = plain_name(f"{said['module']}.{said['name']}".replace("<", "").replace(">", ""))
    if own_process:
        version = version[:40 - len(OWN_PROCESS)] + OWN_PROCESS
    return json.dumps({"kernel": own_name(forward) if name is None else name, "version": version, "device": device,
                       "functions": functions}, sort_keys=True).encode()


def load(data, sha256, late=False):
    """(kernel, version, {"forward": callable, ...}, device) of these bytes. ValueError when anything is not as it was; with `late`
    the function raises it when it is called, so that it costs a row and not the sweep."""
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError("the file of the callable has changed since the sweep began: measure it again")
    read = json.loads(data)
    return read["kernel"], read["version"], {role: _loaded_or_late(said, late) for role, said in read["functions"].items()}, \
        read["device"]


def _loaded_or_late(said, late):
    try:
        return _loaded(said)
    except Exception as error:
        if not late:
            raise
        missing = error

        def cannot_be_loaded(*_, **__):
            raise missing

        return cannot_be_loaded


def _loaded(said):
    if "pickle" in said:
        import cloudpickle
        return cloudpickle.loads(base64.b64decode(said["pickle"]))
    module = importlib.import_module(said["module"])
    if _source_hash(module) != said["source_sha256"]:
        raise ValueError(f"the source of {said['module']} has changed since the sweep began: measure it again")
    return getattr(module, said["name"])
