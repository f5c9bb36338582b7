"""2-simplicial attention for torch, JAX and numpy, and Triscope's databases. Guide: docs/use-it.md."""

from ._attention import Gradients, attention, attention_backward
from ._database import Database, open
from ._measure import measure

__all__ = ["Database", "Gradients", "attention", "attention_backward", "measure", "open"]
