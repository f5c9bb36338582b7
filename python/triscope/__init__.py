"""2-simplicial attention for torch, JAX and numpy, and Triscope's databases. Guide: docs/use-it.md."""

from ._attention import Gradients, attention, attention_backward
from ._database import Database, open
from ._measure import measure

__all__ = ["Database", "Gradients", "attention", "attention_backward", "measure", "open"]


def __getattr__(name):
    if name == "__version__":  # asked for seldom, and reading it takes as long as importing all else
        import importlib.metadata

        return importlib.metadata.version("triscope")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
