"""Pictures of the session."""

import binascii
import io
import sys
import traceback

from .parts import ref

# More than that does not fit into a message, with which the session would end.
MOST_BYTES = 20 << 20


class Figures:
    """Pictures: figures of pyplot that changed, and values that draw themselves."""

    def __init__(self, wire):
        self.wire = wire
        self.known = {}
        self.shown = set()
        self.is_watching = False

    def forget_changes(self):
        """What changed while no cell ran belongs to none."""
        for number, figure in self._open():
            figure.stale = False
            self.known.setdefault(number, (ref(figure), None))

    def emit_changes(self):
        for number, figure in self._open():
            if number in self.shown or figure.stale:
                try:
                    self._emit(number, figure)
                except Exception:
                    traceback.print_exc()
        self.shown.clear()

    def emit_value(self, value):
        """Whether the value was shown as a picture."""
        draw = getattr(type(value), "_repr_png_", None)
        if draw is None:
            return False
        png = draw(value)
        png = png[0] if isinstance(png, tuple) else png
        if not isinstance(png, (bytes, bytearray)):
            return False
        self._send(png, is_update=False)
        return True

    def _emit(self, number, figure):
        target = io.BytesIO()
        figure.savefig(target, format="png")
        figure.stale = False
        png = target.getvalue()
        known, last = self.known.get(number, (lambda: None, None))
        is_update = known() is figure and last is not None
        if is_update and last == png and number not in self.shown:
            return
        self.known[number] = (ref(figure), png)
        self._send(png, is_update=is_update, source=f"figure {number}")

    def _send(self, png, **members):
        if len(png) > MOST_BYTES:
            print(f"[a picture of {len(png)} bytes is not shown: too large]", file=sys.stderr)
            return
        encoded = binascii.b2a_base64(png, newline=False).decode()
        self.wire.send("output_image", mime_type="image/png", data_b64=encoded, **members)

    def _open(self):
        pyplot = sys.modules.get("matplotlib.pyplot")
        # A module that is still being imported has no figures yet.
        if pyplot is None or not hasattr(pyplot, "get_fignums") or not hasattr(pyplot, "show"):
            return []
        if not self.is_watching:
            self.is_watching = True
            self._watch(pyplot)
        library = sys.modules.get("matplotlib._pylab_helpers")
        # A stand-in of the user's has no library behind it.
        managers = [] if library is None else library.Gcf.get_all_fig_managers()
        return sorted(((one.num, one.canvas.figure) for one in managers), key=lambda pair: pair[0])

    def _watch(self, pyplot):
        """A figure that is shown again is emitted again, changed or not."""
        show = pyplot.show

        def show_and_mark(*args, **kwargs):
            self.shown.update(pyplot.get_fignums())
            return show(*args, **kwargs)

        show_and_mark.__doc__ = show.__doc__
        pyplot.show = show_and_mark
