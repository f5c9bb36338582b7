"""The programs that the wheel brings."""

import os
import pathlib
import shutil


def program(name):
    """The program of that name inside this package, otherwise that of the PATH; None when there is none."""
    own = pathlib.Path(__file__).with_name("bin") / name
    return str(own) if os.access(own, os.X_OK) else shutil.which(name)
