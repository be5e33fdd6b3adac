"""The way out of the session: the protocol, written by one thread that no signal reaches."""

import collections
import os

# By name: what the user later replaces in these modules is not ours.
from binascii import b2a_base64
from fcntl import fcntl
from json import dumps
from os import _exit, close, read, write
from select import POLLIN, poll
from threading import Lock
from time import monotonic

from .quiet_thread import start_thread

CHUNK_BYTES = 8192
PIPE_BYTES = 65536
FRAME_BYTES = 1 << 20
# Of Linux. Python 3.9 has no name for it.
F_SETPIPE_SZ = 1031
# Stands for a line feed where text is sent as bytes; text that has one itself is not.
FEED = b"\x1f"
# Writes that reach the wire before they return, within one window; more than that is a flood.
PROMPT_WRITES = 100
WINDOW_SECONDS = 0.05
# A flood is written in heaps: as many items, or as many milliseconds.
FLOOD_ITEMS = 4096
FLOOD_MILLISECONDS = 5

DRAIN = object()


class Wire:
    """The way out: messages, text and what children write to descriptors 1 and 2, in one order."""

    def __init__(self, descriptor, has_frames):
        self.descriptor = descriptor
        self.has_frames = has_frames
        if has_frames:
            widen(descriptor)
        self.items = collections.deque()
        self.is_flooded = False
        self.window = [0.0, 0]
        self.is_forked = False
        self.wake_in, self.wake_out = os.pipe()
        os.set_blocking(self.wake_out, False)
        pipes = [own_pipe(number) for number in (1, 2)]
        self.raw = [(stream, reader) for stream, (reader, _) in zip(("stdout", "stderr"), pipes)]
        self.writers = [writer for _, writer in pipes]
        start_thread(self._post)

    def send(self, kind, **members):
        """Queues a message behind all text so far, that of children included."""
        if self.is_forked:
            return
        self.items.append(DRAIN)
        self.items.append(dumps({"type": kind, **members}).encode() + b"\n")
        self._wake()

    def text(self, stream, chunk):
        """Queues text; it is on the wire when this returns, unless text comes in floods."""
        if self.is_forked:
            write_all(1 if stream == "stdout" else 2, chunk)
            return
        if self._is_flood() and len(self.items) < FLOOD_ITEMS:
            self.items.append((stream, chunk))
            if not self.is_flooded:
                self.is_flooded = True
                self._wake()
            return
        # What a child wrote before is shown before.
        if self._ready_raw():
            self.items.append(DRAIN)
        self.items.append((stream, chunk))
        self.flush()

    def flush(self):
        """Returns when everything queued so far has been written."""
        if self.is_forked:
            return
        done = Lock()
        done.acquire()
        self.items.append(done)
        self._wake()
        done.acquire()

    def forked(self):
        """A child has no thread to write for it and no part in the protocol."""
        self.is_forked = True
        pipes = (*(reader for _, reader in self.raw), *self.writers)
        for descriptor in (self.descriptor, self.wake_in, self.wake_out, *pipes):
            close(descriptor)

    def _is_flood(self):
        now = monotonic()
        if now - self.window[0] > WINDOW_SECONDS:
            self.window = [now, 0]
        self.window[1] += 1
        return self.window[1] > PROMPT_WRITES

    def _wake(self):
        try:
            write(self.wake_out, b"\0")
        except BlockingIOError:
            pass

    def _post(self):
        watch = poll()
        for descriptor in (self.wake_in, *(pipe for _, pipe in self.raw)):
            watch.register(descriptor, POLLIN)
        try:
            while True:
                ready = [descriptor for descriptor, _ in watch.poll()]
                if self.wake_in in ready:
                    read(self.wake_in, PIPE_BYTES)
                if self.is_flooded:
                    watch.poll(FLOOD_MILLISECONDS)
                    self.is_flooded = False
                self._post_items()
                if ready != [self.wake_in]:
                    for stream, chunk in self._take_raw():
                        self._write_text(stream, chunk)
        except OSError:
            # Nobody listens any more.
            _exit(1)

    def _post_items(self):
        stream, text = "stdout", bytearray()
        while self.items:
            item = self.items.popleft()
            chunks = [item] if isinstance(item, tuple) else self._take_raw() if item is DRAIN else []
            for name, chunk in chunks:
                if name != stream or len(text) >= PIPE_BYTES:
                    self._write_text(stream, text)
                    stream, text = name, bytearray()
                if not text and len(chunk) >= PIPE_BYTES:
                    self._write_text(stream, chunk)
                else:
                    text += chunk
            if isinstance(item, tuple) or item is DRAIN:
                continue
            self._write_text(stream, text)
            text = bytearray()
            if isinstance(item, bytes):
                write_all(self.descriptor, item)
            else:
                item.release()
        self._write_text(stream, text)

    def _take_raw(self):
        """What is in the pipes by now: one read empties one."""
        return [(stream, read(pipe, PIPE_BYTES)) for stream, pipe in self._ready_raw()]

    def _ready_raw(self):
        # One object for each call: threads may not poll one at the same time.
        watch = poll()
        for _, pipe in self.raw:
            watch.register(pipe, POLLIN)
        ready = {descriptor for descriptor, _ in watch.poll(0)}
        return [(stream, pipe) for stream, pipe in self.raw if pipe in ready]

    def _write_text(self, stream, text):
        if self.has_frames and len(text) >= PIPE_BYTES and b"\r" not in text and FEED not in text:
            text = self._write_frames(stream, text)
        head = f'{{"type":"output_text","stream":"{stream}","data_b64":"'.encode()
        view = memoryview(text)
        for start in range(0, len(text), PIPE_BYTES):
            block = view[start : start + PIPE_BYTES]
            parts = [block[at : at + CHUNK_BYTES] for at in range(0, len(block), CHUNK_BYTES)]
            encoded = (b2a_base64(part, newline=False) for part in parts)
            write_all(self.descriptor, b"".join(head + one + b'"}\n' for one in encoded))

    def _write_frames(self, stream, text):
        """Writes most of the text as bytes, which costs a tenth of base64, and returns the rest.

        Whoever reads the wire line by line meets none: each piece is one line with what follows it.
        """
        at = 0
        while len(text) - at >= PIPE_BYTES:
            block = text[at : at + FRAME_BYTES].replace(b"\n", FEED)
            at += len(block)
            head = f'{{"type":"output_bytes","stream":"{stream}","length":{len(block)}}}\n'
            write_all(self.descriptor, head.encode())
            write_all(self.descriptor, block)
        return text[at:]


def own_pipe(number):
    """Puts a pipe behind a standard descriptor and returns both its ends."""
    # The writing end is kept: a pipe that the user closes would otherwise be ready for ever.
    reader, writer = os.pipe()
    os.dup2(writer, number, inheritable=True)
    return reader, writer


def widen(pipe):
    """Makes room for a frame, so that the next is made while this one is read."""
    try:
        fcntl(pipe, F_SETPIPE_SZ, FRAME_BYTES)
    except OSError:
        # Another system, or a user who has many of them: it holds what it holds.
        pass


def write_all(descriptor, chunk):
    rest = memoryview(chunk)
    while rest:
        rest = rest[write(descriptor, rest) :]
