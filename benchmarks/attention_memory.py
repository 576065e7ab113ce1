"""Measure how the memory of attention grows with the length: ours, torch's own, and plain torch.

    python benchmarks/attention_memory.py --json

Each length is a process of its own: forward and backward of one causal head of 64, float32. What is
told is by how many MiB the most that the process ever held grew over what it held before.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import describe, summary

LENGTHS = (1024, 2048, 4096, 8192, 16384, 32768)
# Plain torch holds several matrices of all scores: beyond this they would be tens of GiB.
MOST_PLAIN = 8192
PROGRAM = """
import resource, sys
import torch
from torch.nn.functional import scaled_dot_product_attention as theirs
from torchstone import kernels

def plain(q, k, v, is_causal):
    scores = q @ k.mT * 0.125
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(hidden, -torch.inf).softmax(-1) @ v

functions = {"ours": kernels.flash_attention, "torch": theirs, "plain": plain}
for name in sys.argv[2:]:
    function = functions[name]
    q, k, v = (torch.randn(1, 1, int(sys.argv[1]), 64).requires_grad_() for _ in range(3))
    # Libraries and threads are there before anything is measured.
    function(*(each[:, :, :64] for each in (q, k, v)), is_causal=True).sum().backward()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    function(q, k, v, is_causal=True).sum().backward()
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def megabytes(length: int, *names: str) -> list[float]:
    """Run one length in a process of its own; a name after the first shows only its excess."""
    command = [sys.executable, "-c", PROGRAM, str(length), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.splitlines()]


def main() -> None:
    """Parse the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    options = parser.parse_args()
    told: dict[str, dict[int, float]] = {"ours": {}, "torch": {}, "plain": {}}
    for length in LENGTHS[:1] if options.quick else LENGTHS:
        names = [name for name in told if name != "plain" or length <= MOST_PLAIN]
        # The quick form starts one process for all three, so its numbers mean nothing.
        runs = [names] if options.quick else [[name] for name in names]
        for run in runs:
            for name, grown in zip(run, megabytes(length, *run), strict=True):
                told[name][length] = grown
        row = "  ".join(
            f"{name} {each.get(length, float('nan')):8.1f}" for name, each in told.items()
        )
        sys.stderr.write(f"{length:6}: {row} MiB\n")
    sys.stderr.write(f"{summary(describe())}\n")
    if options.json:
        sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
