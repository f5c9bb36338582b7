"""One line that shows how far a sweep is: in a terminal, in a notebook, or nowhere."""

import sys

_BAR = 30


def line(done, total, current, seconds_left):
    """`seconds_left` is None while it is unknown."""
    share = done / total if total else 0.0
    left = "" if seconds_left is None else f", about {seconds_left:.0f} s left"
    filled = int(share * _BAR)
    return f"[{'#' * filled}{'.' * (_BAR - filled)}] {done}/{total}{left}: {current}"


class _Terminal:
    def show(self, text):
        sys.stderr.write(f"\r\x1b[K{text[:110]}")
        sys.stderr.flush()

    def end(self):
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class _Notebook:
    def __init__(self, display):
        self._handle = display({"text/plain": "measuring"}, raw=True, display_id=True)

    def show(self, text):
        self._handle.update({"text/plain": text}, raw=True)

    def end(self):
        self._handle.update({"text/plain": "measured"}, raw=True)


class _Silent:
    def show(self, text):
        pass

    def end(self):
        pass


def _place():
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None and hasattr(shell, "kernel"):
        from IPython.display import display
        return _Notebook(display)
    return _Terminal() if sys.stderr.isatty() else _Silent()


class Progress:
    """As a context: what was shown goes when it ends, however it ends."""

    def __init__(self, wanted):
        self._place = _place() if wanted else _Silent()

    def show(self, message):
        self._place.show(line(message["done"], message["total"], message["current"], message["seconds_left"]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._place.end()
