"""What the worker uses of larger modules, from where these have it themselves.

What lies around it there would be loaded with each start, for nothing.
"""

import _signal as signal
from _ast import Expr, Interactive, PyCF_ONLY_AST
from _weakref import ref

try:
    from _queue import Empty, SimpleQueue
except ImportError:
    from queue import Empty, SimpleQueue

__all__ = ("Empty", "Expr", "Interactive", "PyCF_ONLY_AST", "SimpleQueue", "ref", "signal")
