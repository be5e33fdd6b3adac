"""The user's `sys.stdout`, `sys.stderr` and `sys.stdin`."""

import io


class Output(io.BufferedIOBase):
    """What `sys.stdout` and `sys.stderr` write to."""

    def __init__(self, wire, stream):
        self.wire = wire
        self.stream = stream
        self.name = f"<{stream}>"
        self.mode = "wb"
        self.other = None

    def writable(self):
        return True

    def isatty(self):
        return False

    def fileno(self):
        return 1 if self.stream == "stdout" else 2

    def write(self, chunk):
        chunk = bytes(chunk)
        # An unfinished line of the other stream came first.
        if self.other is not None:
            flush(self.other)
        if chunk:
            self.wire.text(self.stream, chunk)
        return len(chunk)


class Text(io.TextIOWrapper):
    """A stream that lets out what the other one holds before it takes something itself."""

    # The one that was written to last.
    last = None

    def write(self, text):
        if Text.last is not self:
            before, Text.last = Text.last, self
            if before is not None:
                flush(before)
        return super().write(text)


def create_outputs(wire):
    """The two streams: whole lines go out as they are written."""
    buffers = [Output(wire, "stdout"), Output(wire, "stderr")]
    streams = [
        Text(buffer, "utf-8", "backslashreplace", newline="\n", line_buffering=True)
        for buffer in buffers
    ]
    buffers[0].other, buffers[1].other = streams[1], streams[0]
    return streams


def flush(stream):
    try:
        stream.flush()
    except ValueError:
        # Closed or taken apart by the user: it holds nothing.
        pass


class Input(io.RawIOBase):
    """What `sys.stdin` reads from: one line of the inbox at a time."""

    def __init__(self, inbox):
        self.inbox = inbox
        self.name = "<stdin>"
        self.mode = "rb"
        self.rest = b""
        self.is_ended = False

    def readable(self):
        return True

    def fileno(self):
        return 0

    def readinto(self, target):
        if self.is_ended:
            return 0
        if not self.rest:
            self.rest = self.inbox.ask("").encode("utf-8", "surrogateescape")
        chunk, self.rest = self.rest[: len(target)], self.rest[len(target) :]
        target[: len(chunk)] = chunk
        return len(chunk)

    def forget(self, stream):
        """Drops what a reader took and left, down to the text layer."""
        self.rest = b""
        was_ended, self.is_ended = self.is_ended, True
        try:
            if not stream.closed and self.inbox.turn.acquire(blocking=False):
                self.inbox.turn.release()
                stream.read()
        except ValueError:
            # Taken apart by the user: what it held went with its buffer.
            pass
        finally:
            self.is_ended = was_ended
