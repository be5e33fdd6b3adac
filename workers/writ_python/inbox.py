"""The way into the session: cells, and lines for whoever reads standard input."""

import json
import os
import queue
import signal
import threading
import time

from .quiet_thread import start_thread

# How long a thread that was given input has before the batch counts as done.
SETTLE_SECONDS = 0.1
# How long a session that was told to end may take after its server is gone.
LAST_SECONDS = 2


class Inbox:
    """The way in: cells for the main thread, lines for whoever reads standard input."""

    def __init__(self, wire, descriptor):
        self.wire = wire
        self.descriptor = descriptor
        self.cells = queue.SimpleQueue()
        self.lines = queue.SimpleQueue()
        # One reader of standard input at a time; the others queue up.
        self.turn = threading.Lock()
        self.reader = None
        self.prompt = ""
        self.is_running = False
        self.is_closed = False
        # A batch waits for its `ready` or `input_wait`.
        self.is_owed = False
        self.before_wait = lambda: None

    def start(self):
        start_thread(self._read)

    def ask(self, prompt):
        """One line for a reader of standard input; empty at its end."""
        with self.turn:
            line = self._wait(prompt) if self.lines.empty() else self.lines.get()
        if line:
            self.wire.send("input_line", prompt=prompt, text=line)
        return line

    def _wait(self, prompt):
        if self.is_closed:
            return ""
        self.before_wait()
        self.prompt = prompt
        self.reader = threading.current_thread()
        try:
            self.report()
            return self.lines.get()
        finally:
            self.reader = None

    def report(self):
        """Completes the batch: says what the next one will be."""
        self.is_owed = False
        if self.reader is not None:
            self.wire.send("input_wait", prompt=self.prompt)
        else:
            self.wire.send("ready")

    def discard_lines(self):
        try:
            while True:
                self.lines.get_nowait()
        except queue.Empty:
            pass

    def _read(self):
        with os.fdopen(self.descriptor, "rb", closefd=False) as source:
            for line in source:
                self._take(json.loads(line))
        if self.is_closed:
            # Whoever told it to end waits for its last words.
            time.sleep(LAST_SECONDS)
        os._exit(1)

    def _take(self, message):
        kind = message["type"]
        if kind == "input_batch":
            self._take_batch(message["input"])
        elif kind == "interrupt":
            self.discard_lines()
        elif kind == "shutdown":
            self._close()
        else:
            os._exit(1)

    def _take_batch(self, text):
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.is_owed = True
        reader = self.reader
        if reader is None:
            self.cells.put(text)
            return
        text = text if text.endswith("\n") else text + "\n"
        for line in text[:-1].split("\n"):
            self.lines.put(line + "\n")
        if reader is not threading.main_thread():
            start_thread(lambda: self._settle(reader))

    def _settle(self, reader):
        """Completes a batch that only a thread of the user has read."""
        while self.is_owed and self.is_running:
            time.sleep(0.01)
        end = time.monotonic() + SETTLE_SECONDS
        while reader.is_alive() and self.is_owed and time.monotonic() < end:
            time.sleep(0.002)
        if self.is_owed:
            self.discard_lines()
            self.report()

    def _close(self):
        self.is_closed = True
        if self.reader is not None:
            self.lines.put("")
        elif self.is_running:
            os.kill(os.getpid(), signal.SIGTERM)
        self.cells.put(None)
