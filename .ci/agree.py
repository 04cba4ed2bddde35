"""Fails unless the figures of `wmem eval` agree with those of the reference
scorer within 0.01 or two references, whichever is more, without handles and with
them, and none without them has fallen by more than 0.005 below that in figures.json. Those at the constants,
which the scorer does not measure, must not fall either. --write writes figures.json instead.

usage: agree.py [--write] WMEM SCORER TRACES...
"""
import contextlib
import functools
import importlib
import io
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile

import landed

BUDGETS = (256, 128)
CONSTANTS = 0  # in place of a budget
SETTINGS = [(budget, handles) for budget in BUDGETS for handles in (False, True)]
EXACT = ("tool_calls", "mean_chars", "largest_chars")
# Shares, and how many references each is of. Neither gives any of what is described or distinct among few.
SHARES = {"coverage": "references", "typed": "references", "described": "describable", "distinct": "among_several", "floor": "references"}
# Those that must not fall: what the user names is measured by wmem eval alone.
KEPT = {k: of for k, of in SHARES.items() if k != "floor"} | {"named": "nameable"}
FEW = 30

write = "--write" in sys.argv
wmem, scorer, *sets = (a for a in sys.argv[1:] if a != "--write")


def reference(traces):
    """The figures of the reference scorer, by setting. Each result is parsed, and each name split, once for all of them."""
    sys.path.insert(0, os.path.dirname(scorer))
    score = importlib.import_module(os.path.basename(scorer).removesuffix(".py"))
    score.words, parse = functools.cache(score.words), score.parse
    cached = functools.cache(parse)
    score.parse = lambda result: cached(result) if isinstance(result, str) else parse(result)
    figures = {}
    for budget, handles in SETTINGS:
        with tempfile.NamedTemporaryFile() as blocks, contextlib.redirect_stdout(io.StringIO()) as out:
            subprocess.run([wmem, "replay", "--budget", str(budget), *["--handles"] * handles, traces], stdout=blocks, check=True)
            sys.argv = [scorer, traces, blocks.name]
            score.main()
            score.floor(traces, budget)
        figures[budget, handles], floor = map(json.loads, out.getvalue().splitlines())
        figures[budget, handles]["floor"] = floor["coverage"]
    return figures


def measured():
    """The figures of wmem eval, by set and setting."""
    out = subprocess.run([wmem, "eval", "--summary", "--handles", "--json", "--budget", ",".join(map(str, (*BUDGETS, CONSTANTS))), *sets], stdout=subprocess.PIPE, check=True).stdout
    for report in json.loads(out):
        figures = {(m.get("budget", CONSTANTS), m.get("handles", False)): m for m in report["methods"] if m["family"] == "working memory"}
        yield report["traces"], figures


def counts(figures, of):
    return of == "references" or figures[of] >= FEW


def problems(own, ref, last):
    """What is wrong with the figures of a set at a budget."""
    yield from (f"{key} {own[key]}, the reference scorer has {ref[key]}" for key in EXACT if ref and own[key] != ref[key])
    for key, of in SHARES.items() if ref else ():
        if abs(own[of] - ref[of]) > max(2, 0.01 * ref[of]):
            yield f"{of} {own[of]}, the reference scorer has {ref[of]}"
        elif None not in (own[key], ref[key]) and abs(own[key] - ref[key]) > max(0.01, 2 / max(ref[of], 1)):
            yield f"{key} {own[key]}, the reference scorer has {ref[key]}"
    yield from (f"{key} {own[key]}, below {value}" for key, value in last.items() if counts(own, KEPT[key]) and own[key] < value - 0.005)
    if ref and own["largest_tokens"] > own["budget"]:
        yield f"a block of {own['largest_tokens']} tokens"


def main():
    with multiprocessing.Pool() as pool:
        references = pool.map(reference, sets, chunksize=1)
    own = dict(measured())
    if write:
        landed.write({name: {b: {k: f[k] for k, of in KEPT.items() if counts(f, of)} for (b, handles), f in by.items() if not handles} for name, by in own.items()})
    last = landed.read()
    failed = False
    for (name, by), ref in zip(own.items(), references):
        for budget, handles in (*SETTINGS, (CONSTANTS, False)): # the reference has none at the constants
            found = list(problems(by[budget, handles], ref.get((budget, handles)), {} if handles else last.get(name, {}).get(str(budget), {})))
            failed |= bool(found)
            print(f"{name} at {budget}{' with handles' * handles}: {'; '.join(found) or 'agrees'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
