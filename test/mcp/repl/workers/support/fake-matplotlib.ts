/** As much of matplotlib as the Python worker touches; a figure's picture is its text. */
export const FAKE_MATPLOTLIB = {
  "matplotlib/__init__.py": "",
  "matplotlib/_pylab_helpers.py": `
class Gcf:
    figs = {}
    @classmethod
    def get_all_fig_managers(cls):
        return list(cls.figs.values())
`,
  "matplotlib/pyplot.py": `
from types import SimpleNamespace
from ._pylab_helpers import Gcf

class Figure:
    def __init__(self):
        self.lines, self.stale = [], True
    def savefig(self, target, format):
        target.write(f"{format} {self.lines}".encode())
        self.stale = True  # As setting the resolution does.

def figure(num=None):
    num = num or max(Gcf.figs, default=0) + 1
    if num not in Gcf.figs:
        Gcf.figs[num] = SimpleNamespace(num=num, canvas=SimpleNamespace(figure=Figure()))
    return Gcf.figs[num].canvas.figure

def get_fignums():
    return sorted(Gcf.figs)

def plot(line, num=1):
    one = figure(num)
    one.lines.append(line)
    one.stale = True

def clf(num=1):
    figure(num).lines.clear()
    figure(num).stale = True

def close(num=1):
    del Gcf.figs[num]

def show():
    pass
`,
};
