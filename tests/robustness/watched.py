"""Programs that are watched from outside: whoever has their mark in the environment is theirs, whatever its parent."""

import dataclasses
import os
import pathlib
import signal
import time

MARK = "TRISCOPE_WATCHED"


@dataclasses.dataclass
class Process:
    name: str
    state: str  # R, S, D, Z ... as in /proc
    cpu_seconds: float
    rss_bytes: int
    descriptors: int


def environment(home, temporary, mark):
    """For a program that is to write nowhere else, and to be found."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "TRISCOPE_"))}
    return ours | {"HOME": str(home), "TMPDIR": str(temporary), "OMP_NUM_THREADS": "1", MARK: mark}


def processes(mark):
    """By pid, those that live. A zombie has no environment any more: `zombies` finds those."""
    wanted = f"{MARK}={mark}".encode()
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if wanted not in (entry / "environ").read_bytes().split(b"\0"):
                continue
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            found[int(entry.name)] = Process((entry / "comm").read_text().strip(), fields[0],
                                             (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
                                             int(fields[21]) * os.sysconf("SC_PAGE_SIZE"), len(list((entry / "fd").iterdir())))
        except OSError:
            pass  # it has ended, or is another user's
    return found


def zombies(parents):
    """Pids of ended processes that one of `parents` has not taken notice of."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if fields[0] == "Z" and int(fields[1]) in parents:
            found.append(int(entry.name))
    return found


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def wait_until_gone(mark, seconds):
    """Names of those that are still there after so long; they are killed then."""
    end = time.monotonic() + seconds
    while (alive := processes(mark)) and time.monotonic() < end:
        time.sleep(0.01)
    kill(alive)
    return sorted(process.name for process in alive.values())
