"""The Python session of `writ repl`: one interpreter that runs cells.

Speaks the worker protocol (mcp-repl-worker, version 6) on the two descriptors
named by its environment. Needs Python 3.9 and nothing beside it.

A signal handler may raise between any two steps of the main thread. What must
not be cut in half is therefore done by threads that no handler runs in: `Wire`
writes the protocol, `Inbox` reads it.

This file is compiled with each start. The others were compiled when writ was
built, for the interpreters that were there (tools/compile-python.mjs).
"""

import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
# Safe-path mode leaves the script's folder out, and the folder may be read-only.
sys.path.insert(0, FOLDER)
writes_bytecode, sys.dont_write_bytecode = not sys.dont_write_bytecode, True
from writ_python.process import run_process

sys.dont_write_bytecode = not writes_bytecode
sys.path.pop(0)

if __name__ == "__main__":
    run_process(FOLDER)
