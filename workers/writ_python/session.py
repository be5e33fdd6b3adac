"""The session: the user's `__main__`, its cells and its end."""

import __future__
import atexit
import builtins
import gc
import io
import linecache
import os
import re
import sys
import threading
import traceback
import types
from time import sleep

from .figures import Figures
from .parts import Expr, Interactive, PyCF_ONLY_AST, SimpleQueue, signal
from .streams import Input, create_outputs

CELL_NAME = "<repl>"
# How long the word of an interrupt may take that was sent before its signal.
WORD_SECONDS = 0.01
OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Session:
    """The user's `__main__` and what runs in it."""

    def __init__(self, wire, inbox, descriptors):
        self.wire = wire
        self.inbox = inbox
        self.figures = Figures(wire)
        self.count = 0
        self.flags = 0
        # Whether a signal came between cells.
        self.is_signalled = False
        self.handler = signal.default_int_handler
        self.stdout, self.stderr = sys.stdout, sys.stderr = create_outputs(wire)
        self.input = Input(inbox)
        self.stdin = sys.stdin = io.TextIOWrapper(io.BufferedReader(self.input), "utf-8", "replace")
        self.plain_input = builtins.input
        self.descriptors = descriptors
        self.main = types.ModuleType("__main__")
        self.main.__builtins__ = builtins
        inbox.before_wait = self.before_wait
        signal.signal(signal.SIGINT, self.note_signal)
        builtins.input = self.read_line
        sys.displayhook = self.show_value
        os.register_at_fork(after_in_child=self.forked)

    def run(self):
        """Runs cells until one ends the session, and returns its status."""
        while True:
            try:
                if self.inbox.is_owed and not self.inbox.is_running and self.inbox.cells.empty():
                    self.inbox.report()
                cell = self.inbox.cells.get()
                if cell is None:
                    return 0
                status = self.run_cell(cell)
                if self.wire.is_forked:
                    # A child of the user's: for it the program is over.
                    return status
            except SystemExit as end:
                return self.status_of(end)
            except BaseException as error:
                # A handler of the user's raised between cells.
                self.inbox.is_running = False
                self.report_error(error)

    def run_cell(self, source):
        """Runs a cell and returns the status that a program would end with."""
        self.figures.forget_changes()
        self.inbox.is_running = True
        try:
            return self.execute(source)
        finally:
            self.inbox.discard_lines()
            self.input.forget(self.stdin)
            self.finish_output()
            # Also where a question has completed the batch, unless a thread still asks it.
            if self.inbox.open_question() is None:
                self.inbox.is_owed = True
            self.inbox.is_running = False

    def execute(self, source):
        try:
            codes = self.compile(source)
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
            self.report_error(error.with_traceback(None))
            return 1
        try:
            try:
                self.heed()
                for code in codes:
                    exec(code, self.main.__dict__)
            finally:
                self.quiet()
        except SystemExit:
            raise
        except BaseException as error:
            self.report_error(error)
            return 1
        return 0

    def heed(self):
        """From here on an interrupt ends the cell, also one that came while there was nothing to hear it."""
        signal.signal(signal.SIGINT, self.handler)
        if self.is_signalled:
            self.is_signalled = False
            sleep(WORD_SECONDS)
        is_late = self.inbox.interrupted == self.inbox.count
        if is_late and self.handler is signal.default_int_handler:
            raise KeyboardInterrupt

    def quiet(self):
        """Between cells an interrupt has nothing to interrupt; a handler of the user's stays."""
        handler = signal.getsignal(signal.SIGINT)
        pdb = sys.modules.get("pdb")
        if pdb is not None and isinstance(getattr(handler, "__self__", None), pdb.Pdb):
            handler = self.handler
        self.handler = handler
        if handler is signal.default_int_handler:
            signal.signal(signal.SIGINT, self.note_signal)
        elif handler is not None:
            signal.signal(signal.SIGINT, handler)

    def note_signal(self, _number, _frame):
        """An interrupt between cells, or before one runs: while that is compiled no message is taken."""
        if self.inbox.is_running:
            self.inbox.interrupted = self.inbox.count
        else:
            # Whether it was meant for the next cell, only its word can tell.
            self.is_signalled = True

    def compile(self, source):
        """The cell up to its last expression, and that expression, which is shown."""
        self.count += 1
        name = f"<repl:{self.count}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        tree = compile(source, name, "exec", self.flags | PyCF_ONLY_AST, dont_inherit=True)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], Expr) else None
        body = compile(tree, name, "exec", self.flags, dont_inherit=True)
        flags = self.flags
        for feature in __future__.all_feature_names:
            flags |= body.co_flags & getattr(__future__, feature).compiler_flag
        codes = [body]
        if last is not None:
            shown = Interactive([last])
            codes.append(compile(shown, name, "single", flags, dont_inherit=True))
        self.flags = flags
        return codes

    def report_error(self, error):
        trace = hide_worker(error.__traceback__)
        error = error.with_traceback(trace)
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
        sys.last_exc = error
        hook = getattr(sys, "excepthook", sys.__excepthook__)
        if hook is not sys.__excepthook__:
            try:
                hook(type(error), error, trace)
                return
            except SystemExit:
                raise
            except BaseException:
                self.write_error(traceback.format_exc())
        text = "".join(traceback.format_exception(type(error), error, trace))
        self.write_error(re.sub(r'File "<repl:\d+>"', f'File "{CELL_NAME}"', text))

    def write_error(self, text):
        target = getattr(sys, "stderr", None)
        target = self.stderr if target is None else target
        try:
            target.write(text)
            target.flush()
        except Exception:
            # Closed or replaced by the user. A cell whose error nobody sees looks like a success.
            self.wire.text("stderr", text.encode("utf-8", "backslashreplace"))

    def show_value(self, value):
        """Shows the value of a cell: `sys.displayhook`."""
        try:
            if self.figures.emit_value(value):
                builtins._ = value
                return
        except Exception:
            traceback.print_exc()
        sys.__displayhook__(value)

    def read_line(self, prompt="", /):
        """Read a line from standard input, without its newline."""
        if sys.stdin is not self.stdin:
            return self.plain_input(prompt)
        self.tame_debugger()
        line = self.inbox.ask(str(prompt))
        if not line:
            raise EOFError
        return line[:-1] if line.endswith("\n") else line

    def tame_debugger(self):
        """After `continue` an interrupt ends the cell; it does not bring the debugger back."""
        pdb = sys.modules.get("pdb")
        if pdb is None or pdb.Pdb.sigint_handler is interrupt_below_debugger:
            return
        pdb.Pdb.sigint_handler = interrupt_below_debugger

    def before_wait(self):
        self.finish_output()

    def finish_output(self):
        """Everything the cell has shown so far is on its way."""
        theirs = (getattr(sys, name, None) for name in ("stdout", "stderr"))
        for stream in (*theirs, self.stdout, self.stderr):
            try:
                stream.flush()
            except Exception:
                # Closed, deleted or replaced by the user; ours follow.
                pass
        self.figures.emit_changes()

    def forked(self):
        self.wire.forked()
        self.inbox.is_closed = True
        self.inbox.question = None
        self.inbox.turn = threading.Lock()
        self.inbox.lines = SimpleQueue()
        for descriptor in self.descriptors:
            os.close(descriptor)

    def status_of(self, end):
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        try:
            print(end.code, file=self.stderr)
        except Exception:
            # As the interpreter itself: it ends, with or without the words.
            pass
        return 1

    def end(self, status):
        """Ends as an interpreter does: threads, exit functions, then the user's objects."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for step in (threading._shutdown, atexit._run_exitfuncs, self.forget_objects):
            try:
                step()
            except BaseException:
                traceback.print_exc(file=self.stderr)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.finish_output()
        reason = "shutdown" if self.inbox.is_closed else "runtime_exit"
        self.wire.send("session_end", reason=reason, message=f"exit {status}")
        self.wire.flush()
        self.wire.is_forked = True

    def forget_objects(self):
        """Closes the files that only the user's names hold open."""
        self.main.__dict__.clear()
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            if hasattr(sys, name):
                delattr(sys, name)
        gc.collect()


def hide_worker(trace):
    """A traceback without the frames of this file, above and below those of the user."""
    shown = []
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(OWN_FOLDER):
            shown.append(trace)
        trace = trace.tb_next
    for at, one in enumerate(shown):
        one.tb_next = shown[at + 1] if at + 1 < len(shown) else None
    return shown[0] if shown else None


def interrupt_below_debugger(self, number, frame):
    """What `pdb` installs at `continue`: gives the interrupt to who had it before."""
    before = type(self)._previous_sigint_handler
    if not callable(before):
        before = signal.default_int_handler
    signal.signal(signal.SIGINT, before)
    before(number, frame)
