"""Fails if a share of the scenarios or cases that hold has fallen below that in figures.json. --write writes it instead.

usage: scenarios.py [--write] WMEM CASES TOOLS
CASES is a directory with scenarios-*.jsonl and results.jsonl, TOOLS one with scenarios.py and cases.py.
"""
import glob
import json
import os
import subprocess
import sys

import landed

write = "--write" in sys.argv
wmem, cases, tools = (a for a in sys.argv[1:] if a != "--write")


def last_line(tool, *args):
    """What a tool prints at the end."""
    command = [sys.executable, os.path.join(tools, tool), "--wmem", wmem, "--quiet", *args]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(out.splitlines()[-1])


def measured():
    """The figures by file, and by budget or kind."""
    for file in sorted(glob.glob(os.path.join(cases, "scenarios-*.jsonl"))):
        held = {budget: text.split(" of ") for budget, text in last_line("scenarios.py", file).items() if budget != "scenarios"}
        yield os.path.basename(file), {b: {"held": round(int(n) / max(int(of), 1), 4)} for b, (n, of) in held.items()}
    file = os.path.join(cases, "results.jsonl")
    if os.path.exists(file):
        found = last_line("cases.py", file)
        yield os.path.basename(file), {"cases": {k: found[k] for k in ("found", "typed", "labelled", "cases_met")}}


own = dict(measured())
if write:
    landed.write(own)
failed = False
for name, by in own.items():
    for key, figures in by.items():
        below = [f"{k} {v}, below {last}" for k, v in figures.items() if v < (last := landed.read().get(name, {}).get(key, {}).get(k, 0))]
        failed |= bool(below)
        print(f"{name} {key}: {figures} {'; '.join(below)}")
sys.exit(failed or not own)
