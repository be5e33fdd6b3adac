"""The way into the session: cells, and lines for whoever reads standard input."""

import os
import threading

# By name: what the user later replaces in these modules is not ours.
from _thread import interrupt_main
from json import loads
from os import _exit
from time import monotonic, sleep

from . import programs
from .parts import Empty, SimpleQueue, signal
from .quiet_thread import start_thread

# How long a thread that was given input has before the batch counts as done.
SETTLE_SECONDS = 0.1
# How long a session that was told to end may take after its server is gone.
LAST_SECONDS = 2
# How long a cell that was interrupted may take to get to where it waits for a program.
PASS_ON_SECONDS = 1
LOOK_SECONDS = 0.02
# The server keeps no more of a prompt, and takes no message of any length.
MOST_PROMPT = 16384


class Question:
    """What one reader of standard input waits for. An answer is its own, whatever ends meanwhile."""

    def __init__(self, prompt):
        self.prompt = prompt
        self.thread = threading.current_thread()
        self.is_answered = False
        self.answers = SimpleQueue()

    def answer(self, line):
        self.is_answered = True
        self.answers.put(line)


class Inbox:
    """The way in: cells for the main thread, lines for whoever reads standard input."""

    def __init__(self, wire, descriptor):
        self.wire = wire
        self.descriptor = descriptor
        self.cells = SimpleQueue()
        self.lines = SimpleQueue()
        # One reader of standard input at a time; the others queue up.
        self.turn = threading.Lock()
        self.question = None
        self.is_running = False
        # How many cells there were.
        self.count = 0
        # The last of them that was interrupted.
        self.interrupted = 0
        self.is_closed = False
        # A batch waits for its `ready` or `input_wait`.
        self.is_owed = False
        self.before_wait = lambda: None

    def start(self):
        start_thread(self._read)

    def ask(self, prompt):
        """One line for a reader of standard input; empty at its end."""
        prompt = prompt[:MOST_PROMPT]
        with self.turn:
            line = self._wait(prompt) if self.lines.empty() else self.lines.get()
        if line:
            self.wire.send("input_line", prompt=prompt, text=line)
        return line

    def _wait(self, prompt):
        if self.is_closed:
            return ""
        self.before_wait()
        question = self.question = Question(prompt)
        try:
            self.report()
            return question.answers.get()
        finally:
            self.question = None

    def open_question(self):
        """The question that the next batch answers."""
        question = self.question
        return None if question is None or question.is_answered else question

    def report(self):
        """Completes the batch: says what the next one will be."""
        self.is_owed = False
        question = self.open_question()
        if question is not None:
            self.wire.send("input_wait", prompt=question.prompt)
        else:
            self.wire.send("ready")

    def discard_lines(self):
        try:
            while True:
                self.lines.get_nowait()
        except Empty:
            pass

    def _read(self):
        with os.fdopen(self.descriptor, "rb", closefd=False) as source:
            for line in source:
                self._take(loads(line))
        if self.is_closed:
            # Whoever told it to end waits for its last words.
            sleep(LAST_SECONDS)
        _exit(1)

    def _take(self, message):
        kind = message["type"]
        if kind == "input_batch":
            self._take_batch(message["input"])
        elif kind == "interrupt":
            self.interrupted = self.count
            self.discard_lines()
            start_thread(self._pass_on)
        elif kind == "shutdown":
            self._close()
        else:
            _exit(1)

    def _take_batch(self, text):
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.is_owed = True
        question = self.open_question()
        if question is None:
            self.count += 1
            self.cells.put(text)
            return
        text = text if text.endswith("\n") else text + "\n"
        first, *rest = text[:-1].split("\n")
        for line in rest:
            self.lines.put(line + "\n")
        question.answer(first + "\n")
        if question.thread is not threading.main_thread():
            start_thread(lambda: self._settle(question.thread))

    def _pass_on(self):
        """Hands an interrupt to programs that the cell waits for, and to the cell, which did not hear of it."""
        cell, end = self.count, monotonic() + PASS_ON_SECONDS
        while self.is_running and self.count == cell and monotonic() < end:
            if programs.are_awaited():
                interrupt_main()
                programs.interrupt_all()
                return
            sleep(LOOK_SECONDS)

    def _settle(self, reader):
        """Completes a batch that only a thread of the user has read."""
        while self.is_owed and self.is_running:
            sleep(0.01)
        end = monotonic() + SETTLE_SECONDS
        while reader.is_alive() and self.is_owed and monotonic() < end:
            sleep(0.002)
        if self.is_owed:
            self.discard_lines()
            self.report()

    def _close(self):
        self.is_closed = True
        question = self.open_question()
        if question is not None:
            question.answer("")
        elif self.is_running:
            os.kill(os.getpid(), signal.SIGTERM)
        self.cells.put(None)
