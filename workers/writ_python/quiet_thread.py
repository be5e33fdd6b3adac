"""Threads of the worker itself."""

import threading

from .parts import signal


def start_thread(run):
    """Starts a thread that no signal is delivered to."""

    def body():
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        run()

    threading.Thread(target=body, daemon=True).start()
