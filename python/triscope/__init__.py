"""2-simplicial attention for torch, JAX and numpy, and Triscope's databases. Guide: docs/use-it.md."""

from ._attention import Gradients, attention, attention_backward
from ._database import Database, open

__all__ = ["Database", "Gradients", "attention", "attention_backward", "open"]
