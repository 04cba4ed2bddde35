"""Fails unless the figures of the README are those that `make eval` prints. A table between `<!-- figures: ENCODING -->` and `<!-- end of
figures -->` is counted in that encoding. The figures of a row that has more than four are the first of one printed row.

usage: figures.py README.md EVAL_OUTPUT
"""
import re
import sys

NUMBER = re.compile(r"\d+\.\d+")
REPORT = re.compile(r"^(?=\S.*; tokens of )", re.M)
TABLES = re.compile(r"<!-- figures: (\S+) -->(.*?)<!-- end of figures -->", re.S)

readme, output = (open(name).read() for name in sys.argv[1:3])
reports = REPORT.split(output)
tables = TABLES.findall(readme)
failed = not tables
for encoding, table in tables:
    counted = "".join(r for r in reports if r.split("\n")[0].endswith("; tokens of " + encoding))
    printed = set(NUMBER.findall(counted))
    rows = ["|".join(NUMBER.findall(line)) for line in counted.splitlines()]
    stated = NUMBER.findall(table)
    missing = [n for n in stated if n not in printed]
    for line in table.splitlines():
        figures = NUMBER.findall(line)
        if line.startswith("|") and len(figures) > 4 and not any(r.startswith("|".join(figures)) for r in rows):
            missing.append(line)
    failed |= bool(missing) or not stated
    print(f"{len(stated)} figures of {encoding} in the README, {len(missing)} that make eval does not print: {missing}")
sys.exit(failed)
