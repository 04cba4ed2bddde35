"""The figures that nothing may fall below, by file and budget or kind: figures.json."""
import json
import os

FIGURES = os.path.join(os.path.dirname(__file__), "figures.json")


def read():
    with open(FIGURES) as f:
        return json.load(f)


def write(figures):
    """Replaces the figures of the given files, and keeps those of others."""
    lines = (f"{json.dumps(name)}: {json.dumps(by)}" for name, by in sorted((read() | figures).items()))
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    with open(FIGURES, "w") as f:
        f.write(text)
