"""Mutate the attacks on a problem's bans, and save each mutant that gets a banned result.

Usage: ``python tools/mutate_attacks.py [--seconds N] [--seed N] [--folder DIR] [--check]``
"""

from __future__ import annotations

import argparse
import ast
import copy
import keyword
import random
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.bank.schema import Deny
from torchstone.core import paths
from torchstone.core.syntax import parse
from torchstone.judge.escapes.sandboxed import talking
from torchstone.judge.escapes.search import bans_only

ROOT = Path(__file__).resolve().parent.parent
ATTACKS = ROOT / "tests/judge/attacks/submissions/bans"
_REFUSED = 86
_STATES = (
    "torch.no_grad()",
    "torch.inference_mode()",
    "torch.autocast('cpu')",
    "torch._C._AutoDispatchBelowAutograd()",
    "torch._C._DisableTorchDispatch()",
    "torch.autograd.forward_ad.dual_level()",
    "torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)",
)


@dataclass(slots=True, kw_only=True)
class Mutation:
    """What a run of the second search came to.

    Attributes:
        programs: How many programs ran.
        refused: How many a ban ended.
        crashes: How many ended by a signal.
        reached: The callables that some program reached, each with what came of the program.
        escapes: The programs that got a banned result.
    """

    programs: int = 0
    refused: int = 0
    crashes: int = 0
    reached: set[tuple[str, str]] = field(default_factory=set)
    escapes: list[str] = field(default_factory=list)


class Mutator:
    """Make programs from programs; one seed makes one sequence."""

    def __init__(self, names: Sequence[str], seed: int) -> None:
        self._draw = random.Random(seed)
        self._names = [name for name in names if _is_of_torch(name)]
        self._by_word: dict[str, list[str]] = {}
        for name in self._names:
            for word in _words_of(name.rpartition(".")[2]):
                self._by_word.setdefault(word, []).append(name)

    def mutate(self, source: str, other: str, name: str) -> str:
        """Change a program in one to three places; the other gives parts."""
        tree, donor = parse(source), parse(other)
        for _ in range(self._draw.randint(1, 3)):
            self._draw.choice((self._swap, self._swap, self._enter, self._splice))(
                tree, donor, name
            )
        return ast.unparse(ast.fix_missing_locations(tree))

    def _swap(self, tree: ast.Module, donor: ast.Module, name: str) -> None:
        """Put a reachable name in the place of one that is called, or an instance of a class."""
        calls = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        ]
        if not calls or not self._names:
            return
        call = self._draw.choice(calls)
        assert isinstance(call.func, ast.Attribute)
        alike = [each for word in _words_of(call.func.attr) for each in self._by_word.get(word, ())]
        chosen = self._draw.choice(alike if alike and self._draw.random() < 0.9 else self._names)
        made = "()" if chosen.rpartition(".")[2][:1].isupper() else ""
        call.func = parse(chosen + made, mode="eval").body
        if self._draw.random() < 0.7:
            call.keywords = []
            call.args = call.args[: self._draw.randint(1, 2)]

    def _enter(self, tree: ast.Module, donor: ast.Module, name: str) -> None:
        """Put the body of the function into a state."""
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                state = parse(self._draw.choice(_STATES), mode="eval").body
                node.body = [ast.With(items=[ast.withitem(context_expr=state)], body=node.body)]

    def _splice(self, tree: ast.Module, donor: ast.Module, name: str) -> None:
        """Put an expression of another program into the place of one of this."""
        theirs = [node for node in ast.walk(donor) if isinstance(node, ast.Call)]
        ours = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        if theirs and ours:
            target, taken = self._draw.choice(ours), copy.deepcopy(self._draw.choice(theirs))
            target.func, target.args, target.keywords = taken.func, taken.args, taken.keywords


def _is_of_torch(name: str) -> bool:
    """Return whether a program can write this name; torch has attributes such as ``is``."""
    root, *parts = name.split(".")
    is_written = all(part.isidentifier() and not keyword.iskeyword(part) for part in parts)
    return root == "torch" and bool(parts) and is_written


def _words_of(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]{3,}", name)]


def mutate(
    seeds: Sequence[str],
    name: str,
    deny: Deny,
    cache: Path,
    *,
    seconds: float,
    most: int = 1_000_000,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
) -> Mutation:
    """Run mutants of some programs; keep those that reach something new.

    Args:
        seeds: The programs to begin with.
        name: The function that each defines.
        deny: What is banned.
        cache: The folder of what was found out about this machine.
        seconds: When it ends.
        most: How many programs at most.
        seed: Of the draws.
        options: Further entries of the order, see ``escapes.calling.process``.

    Raises:
        JudgeUnavailable: There is no sandbox, or torch cannot be imported in it.
    """
    order = {"bans": bans_only(deny), "programs": True, "modules": [], **(options or {})}
    found, corpus, tried = Mutation(), list(seeds), set[str]()
    with talking(cache, order) as (messages, send):
        mutator = Mutator(_names_of(messages), seed)
        draw, end = random.Random(seed), time.monotonic() + seconds
        waiting = list(seeds)
        while time.monotonic() < end and found.programs < most:
            source = (
                waiting.pop()
                if waiting
                else mutator.mutate(draw.choice(corpus), draw.choice(corpus), name)
            )
            if source in tried:
                continue
            tried.add(source)
            send({"source": source, "name": name})
            answer = next(messages)
            if _count(found, source, answer):
                corpus.append(source)
    return found


def _names_of(messages: Iterator[dict[str, Any]]) -> list[str]:
    names: list[str] = []
    for message in messages:
        if message["did"] == "counted":
            break
        names += message.get("names", ())
    return names


def _count(found: Mutation, source: str, answer: Mapping[str, Any]) -> bool:
    """Count one program; return whether it reached something new."""
    found.programs += 1
    status, said = answer["status"], answer["said"]
    found.refused += status == _REFUSED
    found.crashes += status in (-4, -6, -7, -8, -11)
    outcome = str(status) if not said else said[0]["raised"] or "returned"
    reached = {(each, outcome) for each in (said[0]["reached"] if said else ())}
    reached.add((answer["report"].partition("\n")[0], str(status)))
    is_new = not reached <= found.reached
    found.reached |= reached
    if said and said[0]["program"]:
        found.escapes.append(source)
    return is_new


def seeds() -> list[str]:
    """Return the attacks on problem 01 that define its function."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(ATTACKS.glob("*.py"))]
    return [text for text in sources if "# problem:" not in text and "def softmax(" in text]


def main() -> int:
    """Search, save what is found, and return 1 if there is something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("escapes"))
    parser.add_argument("--check", action="store_true", help="run each attack once, as it is")
    parser.add_argument("--quick", action="store_true", help="a second: to see that it works")
    asked = parser.parse_args()
    if asked.quick:
        asked.seconds = 1.0
    programs = seeds()
    found = mutate(
        programs,
        "softmax",
        load_problem(CONTENT / "problems/01_softmax").spec.deny,
        paths.cache_dir(),
        seconds=asked.seconds,
        most=len(programs) if asked.check else 1_000_000,
        seed=asked.seed,
        options={"only": ["torch"]},
    )
    for number, source in enumerate(found.escapes):
        asked.folder.mkdir(parents=True, exist_ok=True)
        (asked.folder / f"escape_{asked.seed}_{number}.py").write_text(source, encoding="utf-8")
    sys.stdout.write(
        f"programs {found.programs}, refused {found.refused}, crashes {found.crashes}, "
        f"reached {len(found.reached)}, escapes {len(found.escapes)}\n"
    )
    return 1 if found.escapes else 0


if __name__ == "__main__":
    sys.exit(main())
