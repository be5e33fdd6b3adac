"""The parts of the Python session; `python.py` beside this folder puts them together."""
