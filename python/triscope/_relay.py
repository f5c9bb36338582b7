"""python -m triscope._relay SOCKET ARGUMENT...: a worker whose work is done by the process behind the socket (_own_process.py)."""

import json
import os
import socket
import sys


def main():
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(sys.argv[1])
    except OSError as error:
        sys.exit(f"the process that holds the callable is not there any more ({error})")
    socket.send_fds(connection, [json.dumps(sys.argv[2:]).encode()], [0, 1])
    os.dup2(2, 1)  # the other process alone ends the pipe
    os.close(0)
    code = connection.recv(1)
    return code[0] if code else 3


if __name__ == "__main__":
    sys.exit(main())
