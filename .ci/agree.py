"""Fails unless the figures of `wmem eval --json` equal those of the reference
scorer, and reach the floors the project holds itself to at 256 tokens.

usage: agree.py REFERENCE.json OWN.json
"""
import json
import sys

FLOORS = {"typed": 0.97, "described": 0.90}

reference = json.load(open(sys.argv[1]))
own = json.load(open(sys.argv[2]))[0]["methods"][0]
failed = False
for key in ("tool_calls", "references", "coverage", "typed", "described", "describable", "mean_chars", "largest_chars"):
    agrees = own[key] == reference[key]
    failed |= not agrees
    print(f"{reference['traces']} {key}: {own[key]}" + ("" if agrees else f", but the reference scorer says {reference[key]}"))
for key, floor in FLOORS.items():
    if own[key] < floor:
        failed = True
        print(f"{key} {own[key]} is below {floor}")
if own["largest_tokens"] > 256:
    failed = True
    print(f"a block has {own['largest_tokens']} tokens at a budget of 256")
sys.exit(failed)
