"""Workers of a sweep as threads of this process, for callables that cannot leave it.

`triscope sweep` starts a worker as a program and talks to it over two pipes. That program is _relay.py here: it hands its pipes to
this process through a socket, and lives as long as the thread that serves them.
"""

import ctypes
import json
import os
import pathlib
import shlex
import socket
import sys
import threading

from . import _function_kernel, _worker

_kept = []  # tables of workers that did not end, whose callable may still be running


class Workers:
    """As a context: serves each worker that the sweep starts."""

    def __init__(self, kernel, version, functions, device, folder):
        self._library = _worker.library()
        self._table = _function_kernel.table(kernel, version, functions, _worker.memory(device))
        self._path = str(pathlib.Path(folder, "own-process"))
        self._threads = []

    def launcher(self, folder):
        """A program that hands the pipes of a worker to this process."""
        path = pathlib.Path(folder, "triscope-worker")
        path.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m triscope._relay {shlex.quote(self._path)} \"$@\"\n")
        path.chmod(0o700)
        return str(path)

    def __enter__(self):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(self._path)
        self._socket.listen()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join(timeout=2)
        if any(thread.is_alive() for thread in self._threads):
            _kept.append(self._table)

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection):
        with connection:
            said, pipes, *_ = socket.recv_fds(connection, 1 << 16, 2)
            words = [word.encode() for word in ("triscope-worker", *json.loads(said))]
            try:
                code = self._library.triscope_worker_serve(len(words), (ctypes.c_char_p * (len(words) + 1))(*words),
                                                           ctypes.byref(self._table), *pipes)
            finally:
                for pipe in pipes:
                    os.close(pipe)
            try:
                connection.sendall(bytes([code & 255]))
            except OSError:
                pass  # the relay was ended
