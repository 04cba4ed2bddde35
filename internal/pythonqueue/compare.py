#!/usr/bin/env python3
"""Times a bounded queue on a plain Python list beside queue.Queue.

Both do the same on the same machine, in turns: append to a full queue, append
ten items to it, branch it, copy its items out, go through a snapshot of them, write
it as JSON and read it back. Prints a table in Markdown. Needs python3, its standard library, and go.

    python3 internal/pythonqueue/compare.py [rounds]
"""

import collections
import json
import re
import statistics
import subprocess
import sys
import time

LIMITS = (10, 64, 1_000, 100_000)
BATCH = 10
GO_BENCHMARKS = {
    "append": "QueueAppend",
    "append ten": "QueueAppend10",
    "branch": "QueueBranch",
    "items": "QueueItems",
    "iterate": "QueueAll",
    "write JSON": "QueueMarshalJSON",
    "read JSON": "QueueUnmarshalJSON",
}
LEAST_SECONDS = 0.05


class ListQueue:
    """A bounded queue in a list, the oldest item first."""

    def __init__(self, limit, items=()):
        if limit < 1:
            raise ValueError("limit must be at least 1")
        self.limit = limit
        self.contents = [*items][-limit:]

    def append(self, *items):
        self.contents.extend(items)
        excess = len(self.contents) - self.limit
        if excess > 0:
            del self.contents[:excess]

    def branch(self):
        child = ListQueue(self.limit)
        child.contents = self.contents[:]
        return child

    @property
    def items(self):
        return list(self.contents)

    def to_json(self):
        return json.dumps({"limit": self.limit, "items": list(self.contents)})

    @classmethod
    def from_json(cls, text):
        state = json.loads(text)
        return cls(state["limit"], state["items"])


class DequeQueue(ListQueue):
    """The same in a collections.deque, which drops the oldest item itself."""

    def __init__(self, limit, items=()):
        super().__init__(limit)
        self.contents = collections.deque(items, maxlen=limit)

    def append(self, *items):
        self.contents.extend(items)

    def branch(self):
        child = DequeQueue(self.limit)
        child.contents = self.contents.copy()
        return child


def operations(queue):
    batch = [f"new item {i}" for i in range(BATCH)]
    text = queue.to_json()
    return {
        "append": lambda: queue.append("new item"),
        "append ten": lambda: queue.append(*batch),
        "branch": queue.branch,
        "items": lambda: queue.items,
        "iterate": lambda: collections.deque(iter(queue.items), maxlen=0),
        "write JSON": queue.to_json,
        "read JSON": lambda: queue.from_json(text),
    }


def nanoseconds(operation):
    """The time of one run of an operation, as the mean of many."""
    runs = 1
    while True:
        start = time.perf_counter()
        for _ in range(runs):
            operation()
        took = time.perf_counter() - start
        if took >= LEAST_SECONDS:
            return took / runs * 1e9
        runs *= 2


def python_times(kind):
    times = {}
    for limit in LIMITS:
        queue = kind(limit, (f"item number {i}" for i in range(limit)))
        for name, operation in operations(queue).items():
            times[name, limit] = nanoseconds(operation)
    return times


def go_times():
    output = subprocess.run(
        ["go", "test", "-run", "^$", "-bench", f"^Benchmark({'|'.join(GO_BENCHMARKS.values())})$",
         "-benchtime", "50ms", "./memory/queue"],
        check=True, capture_output=True, text=True).stdout
    times = {}
    for name, benchmark in GO_BENCHMARKS.items():
        for limit in LIMITS:
            line = re.search(rf"^Benchmark{benchmark}/{limit}(?:-\d+)?\s+\d+\s+([\d.]+) ns/op", output, re.M)
            times[name, limit] = float(line[1])
    return times


def readable(ns):
    for unit, size in (("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    measured = collections.defaultdict(list)
    for _ in range(rounds):
        for who, times in (("go", go_times()), ("list", python_times(ListQueue)), ("deque", python_times(DequeQueue))):
            for what, ns in times.items():
                measured[who, what].append(ns)
    print("| operation | limit | queue.Queue | Python list | × | Python deque | × |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in GO_BENCHMARKS:
        for limit in LIMITS:
            ours, a_list, a_deque = (statistics.median(measured[who, (name, limit)]) for who in ("go", "list", "deque"))
            print(f"| {name} | {limit:,} | {readable(ours)} | {readable(a_list)} | {a_list / ours:.1f} "
                  f"| {readable(a_deque)} | {a_deque / ours:.1f} |")


if __name__ == "__main__":
    main()
