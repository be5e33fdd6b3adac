"""The Python session of `writ repl`: one interpreter that runs cells.

Speaks the worker protocol (mcp-repl-worker, version 6) on the two descriptors
named by its environment. Needs Python 3.9 and nothing beside it.

A signal handler may raise between any two steps of the main thread. What must
not be cut in half is therefore done by threads that no handler runs in: `Wire`
writes the protocol, `Inbox` reads it.
"""

import faulthandler
import os
import signal
import sys
import warnings

FOLDER = os.path.dirname(os.path.abspath(__file__))
# Safe-path mode leaves the script's folder out, and the folder may be read-only.
sys.path.insert(0, FOLDER)
writes_bytecode, sys.dont_write_bytecode = not sys.dont_write_bytecode, True
from writ_python.inbox import Inbox
from writ_python.session import Session, ignore_signal
from writ_python.wire import Wire

sys.dont_write_bytecode = not writes_bytecode
sys.path.pop(0)


def take_descriptor(name):
    descriptor = int(os.environ[name])
    os.set_inheritable(descriptor, False)
    return descriptor


def prepare_process():
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
    if sys.path and sys.path[0] == FOLDER:
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


def main():
    signal.signal(signal.SIGINT, ignore_signal)
    source, target = map(take_descriptor, ("MCP_REPL_IPC_READ_FD", "MCP_REPL_IPC_WRITE_FD"))
    # A crash of the interpreter itself is told on the stream of last resort.
    last_resort = os.dup(2)
    faulthandler.enable(last_resort, all_threads=False)
    has_frames = "WRIT_REPL_FRAMES" in os.environ
    prepare_process()
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


if __name__ == "__main__":
    main()
