"""2-simplicial attention on the CPU with numpy arrays, and Triscope's databases. Guide: docs/use-it.md."""

from ._attention import Gradients, attention, attention_backward
from ._database import Database, open

__all__ = ["Database", "Gradients", "attention", "attention_backward", "open"]
