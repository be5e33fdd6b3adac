"""The process of a session, from its first step to its exit."""

import faulthandler
import os
import sys
import warnings

from .inbox import Inbox
from .parts import signal
from .session import Session
from .wire import Wire


def take_descriptor(name):
    descriptor = int(os.environ[name])
    os.set_inheritable(descriptor, False)
    return descriptor


def prepare_process(folder):
    """Hides the worker from the user's code."""
    for name in list(os.environ):
        if name.startswith(("MCP_REPL_", "WRIT_")):
            del os.environ[name]
    for name, value in (("PYTHON_COLORS", "0"), ("NO_COLOR", "1"), ("MPLBACKEND", "agg")):
        os.environ.setdefault(name, value)
    os.environ["PYTHON_BASIC_REPL"] = "1"
    place_matplotlib()
    # The threads it warns of are the worker's own.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    sys.argv = [""]
    if sys.path and sys.path[0] == folder:
        sys.path[0] = ""


def place_matplotlib():
    """Matplotlib tells each session where its folder cannot be written; a temporary one it takes silently."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    folder = os.path.join(base, "matplotlib")
    while not os.path.exists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    temporary = os.environ.get("TMPDIR")
    if temporary and not os.access(folder, os.W_OK):
        os.environ.setdefault("MPLCONFIGDIR", os.path.join(temporary, "matplotlib"))


def run_process(folder):
    """Runs a session; `folder` is where the worker lies."""
    signal.signal(signal.SIGINT, lambda *_: None)
    source, target = map(take_descriptor, ("MCP_REPL_IPC_READ_FD", "MCP_REPL_IPC_WRITE_FD"))
    # A crash of the interpreter itself is told on the stream of last resort.
    last_resort = os.dup(2)
    faulthandler.enable(last_resort, all_threads=False)
    has_frames = "WRIT_REPL_FRAMES" in os.environ
    prepare_process(folder)
    wire = Wire(target, has_frames)
    inbox = Inbox(wire, source)
    session = Session(wire, inbox, [source, last_resort])
    own = sys.modules["__main__"]
    sys.modules["__main__"] = session.main
    wire.send(
        "worker_ready",
        protocol={"name": "mcp-repl-worker", "version": 6},
        worker={"name": "python", "version": ".".join(map(str, sys.version_info[:3]))},
        capabilities={"images": True},
    )
    inbox.report()
    inbox.start()
    status = session.run()
    session.end(status)
    sys.modules["__main__"] = own
    sys.exit(status)
