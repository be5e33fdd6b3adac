"""Programs that the session started, as the kernel knows them."""

# By name: what the user later replaces in these modules is not ours.
from io import FileIO
from os import getpgid, getpid, kill

from .parts import signal

# What C's `system` ignores while it waits: the signals for an interrupt and for a quit.
IGNORED_BY_SYSTEM = (1 << (signal.SIGINT - 1)) | (1 << (signal.SIGQUIT - 1))


def are_awaited():
    """Whether the main thread waits in C's `system`, where an interrupt is lost on it."""
    for line in _read("/proc/self/status").splitlines():
        if line.startswith(b"SigIgn:"):
            return int(line.split()[1], 16) & IGNORED_BY_SYSTEM == IGNORED_BY_SYSTEM
    return False


def interrupt_all():
    """Interrupts those that a terminal would: who is to go on alone has a group of its own."""
    for pid in _descendants(getpid()):
        try:
            if getpgid(pid) == getpgid(0):
                kill(pid, signal.SIGINT)
        except OSError:
            pass  # It has ended.


def _descendants(pid):
    for child in map(int, _read(f"/proc/{pid}/task/{pid}/children").split()):
        yield child
        yield from _descendants(child)


def _read(path):
    try:
        with FileIO(path) as file:
            return file.readall()
    except OSError:
        return b""
