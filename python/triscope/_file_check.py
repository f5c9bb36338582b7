"""What comes before sqlite3 opens a database: the program triscope-check-file (SECURITY.md)."""

import os
import pathlib
import subprocess
import tempfile
import warnings

from . import _programs

_PROGRAM = "triscope-check-file"
_WAIT_MS = "5000"       # for a lock
_CANNOT_START = 127     # a library that it needs is missing
_PASSED = b"passed\n"   # what it writes; its exit code is lost where a program ignores children that end


def open_checked(path, connect):
    """What connect(uri) returns for `path` once it was looked through. ValueError with the reason when it is refused.

    When a transaction in the file was cut off, the uri is that of a copy in which it was taken back or completed. The file
    and what lies beside it stay as they are.
    """
    path = os.path.realpath(path)
    checker = _programs.program(_PROGRAM)
    if checker:
        with tempfile.TemporaryDirectory(prefix="triscope-") as folder:
            try:
                done = subprocess.run([checker, path, "read", _WAIT_MS, folder, ""], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            except OSError as error:
                raise ValueError(f"{path} was not opened: {checker} cannot be started ({error.strerror})") from error
            copy = os.path.join(folder, "database")
            if done.stdout == _PASSED:
                return connect(_uri(copy, "immutable=1") if os.path.exists(copy) else _uri(path, _options(path)))
        if done.returncode != _CANNOT_START:
            raise ValueError(_sentence(path, done))
    return connect(_without_checker(path))


def _options(path):
    """As open_readable() of profiler/store: only who may write tidies the log's files away when it is the last."""
    if os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK):
        return "mode=rw"
    log = path + "-wal"
    return "mode=ro" if os.path.exists(log) and os.path.getsize(log) else "immutable=1"


def _without_checker(path):
    for end in ("-journal", "-wal"):
        if os.path.lexists(path + end) and (not os.path.isfile(path + end) or os.path.getsize(path + end)):
            raise ValueError(f"{path} cannot be read: {path + end} lies beside it, and without {_PROGRAM} nobody can tell what "
                             "that would change; put that program on the PATH (it comes with Triscope)")
    warnings.warn(f"{path} was not looked through before it was opened: {_PROGRAM} is not here", stacklevel=5)
    return _uri(path, "immutable=1")


def _uri(path, options):
    return f"{pathlib.Path(path).as_uri()}?{options}"


def _sentence(path, done):
    said = done.stdout.decode(errors="replace").splitlines()
    if len(said) == 3:
        return f"{said[0]}: {said[1]}; {said[2]}"
    return f"{path} cannot be read: it ended the program that looks through it first (code {done.returncode})"
