"""Fails if the README states a figure that `make eval` does not print.

usage: figures.py README.md EVAL_OUTPUT
"""
import re
import sys

NUMBER = re.compile(r"\d+\.\d+")

readme = open(sys.argv[1]).read()
stated = readme[readme.index("<!-- figures"):readme.index("<!-- end of figures")]
printed = set(NUMBER.findall(open(sys.argv[2]).read()))
missing = [n for n in NUMBER.findall(stated) if n not in printed]
print(f"{len(NUMBER.findall(stated))} figures in the README, {len(missing)} that make eval does not print: {missing}")
sys.exit(bool(missing))
