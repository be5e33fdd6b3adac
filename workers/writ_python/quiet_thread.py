"""Threads of the worker itself."""

import signal
import threading


def start_thread(run):
    """Starts a thread that no signal is delivered to."""

    def body():
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        run()

    threading.Thread(target=body, daemon=True).start()
