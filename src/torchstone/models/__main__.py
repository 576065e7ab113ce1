"""Command line: train, sample and profile models, and print progress as lines of JSON.

Usage: ``python -m torchstone.models transformer train [--text FILE]``; on several ranks
``torchrun --nproc-per-node 2 -m torchstone.models transformer train --parallel zero2``. And
``python -m torchstone.models diffusion train``.

Several ranks print as one: rank 0 does, but for ``rank_lost`` and ``error``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from torchstone import distributed, kernels
from torchstone.core.event_program import run_to_end, write_event
from torchstone.core.i18n import detect_lang
from torchstone.core.interruption import interrupt_once
from torchstone.distributed.refusal import refusal_of, said
from torchstone.models import diffusion
from torchstone.models.diffusion.training import plan_to_go_on as diffusion_to_go_on
from torchstone.models.profiling import measure
from torchstone.models.refusal import Refusal
from torchstone.models.text import read_text
from torchstone.models.training.loop import sample, train
from torchstone.models.training.plan import Plan
from torchstone.models.training.restore import plan_to_go_on, restore

Event = dict[str, Any]
# Characters of digits to sample, in the order of the labels; the last one means any digit.
ANY = "x"
DIGITS = f"0123456789{ANY}"


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return 0 on success and 2 for an invalid request."""
    given = vars(_parser().parse_args(arguments))
    del given["group"], given["verb"]
    return run_to_end(lambda: _run(given))


def _run(given: dict[str, Any]) -> int:
    try:
        for event in given.pop("events")(given):
            write_event(event)
    except Refusal as refusal:
        values = {name: str(value) for name, value in refusal.values.items()}
        event = {"code": refusal.code, "message": str(refusal), "values": values}
        write_event({"event": "error", **event})
        return 2
    except distributed.Refusal as refusal:
        write_event(_error_of(refusal))
        return 2
    except RuntimeError as error:
        # Raised by collectives.
        refused = refusal_of(error)
        if refused is None:
            raise
        write_event(_error_of(refused))
        return 2
    return 0


def _error_of(refusal: distributed.Refusal) -> Event:
    lang = detect_lang()
    return {
        "event": "rank_lost" if refusal.code == "rank_lost" else "error",
        "code": refusal.code,
        # The message catalogue of the sentence; those of the models have no section.
        "section": "distributed.refusal",
        "message": refusal.message(lang),
        "hint": refusal.hint(lang),
        "values": {name: str(value) for name, value in said(refusal.values, lang).items()},
    }


# Training waits for the compiled kernels: a run repeats bit for bit only if no part of it is
# computed by plain PyTorch.


def _train(given: dict[str, Any]) -> Iterator[Event]:
    resume = given.pop("resume")
    plan = plan_to_go_on(given) if resume else Plan(**given)
    kernels.load()
    yield from train(plan, read_text(plan.text, plan.context), resume=resume)


def _sample(given: dict[str, Any]) -> Iterator[Event]:
    temperature, top_k = given["temperature"], given["top_k"]
    for name, came, is_right in (
        ("temperature", temperature, 0 <= temperature < float("inf")),
        ("top_k", top_k, top_k is None or top_k >= 1),
        ("count", given["count"], given["count"] >= 1),
    ):
        if not is_right:
            raise Refusal(
                "number", name=name, came=came, wanted="≥ 1" if name != "temperature" else "≥ 0"
            )
    if not given["prompt"]:
        raise Refusal("text_empty")
    model, plan = restore(given.pop("folder"))
    told = sample(model, plan, given.pop("prompt"), given.pop("count"), **given)
    yield {"event": "sample", "text": told}


def _train_diffusion(given: dict[str, Any]) -> Iterator[Event]:
    resume = given.pop("resume")
    plan = diffusion_to_go_on(given) if resume else diffusion.Plan(**given)
    kernels.load()
    yield from diffusion.train(plan, resume=resume)


def _draw(given: dict[str, Any]) -> Iterator[Event]:
    plan = diffusion.Plan(folder=given.pop("folder"))
    picture = given.pop("picture") or plan.folder / "drawn.png"
    if (digits := given.pop("digits", None)) is not None:
        if not digits or set(digits) - set(DIGITS):
            raise Refusal("choice", name="digits", came=digits, wanted=f"{DIGITS[:-1]}, {ANY}")
        given["labels"] = [DIGITS.index(each) for each in digits]
    yield {"event": "sample", **diffusion.sample_to(plan.checkpoint, picture, **given)}


def _profile(given: dict[str, Any]) -> Iterator[Event]:
    others = {name: given.pop(name) for name in ("levels", "chart", "lang") if name in given}
    yield measure(Plan(**given), **others)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m torchstone.models", description=__doc__)
    groups = parser.add_subparsers(required=True, dest="group")
    _add_transformer(groups)
    _add_diffusion(groups)
    return parser


def _add_transformer(groups: Any) -> None:
    verbs = groups.add_parser("transformer").add_subparsers(required=True, dest="verb")
    command = _add_verb(verbs, "train", _train)
    _add_fields(command, Plan)
    command.add_argument("--resume", action="store_true", help="go on from the checkpoint there")
    command = _add_verb(verbs, "sample", _sample)
    command.add_argument("prompt", metavar="TEXT")
    command.add_argument("--folder", type=Path, default=Plan().folder, metavar="DIR")
    command.add_argument("--count", type=int, default=400)
    command.add_argument("--temperature", type=float, default=0.8)
    command.add_argument("--top-k", type=int, default=None)
    command.add_argument("--seed", type=int, default=0)
    command = _add_verb(verbs, "profile", _profile)
    _add_fields(command, Plan)
    # Omitted options are absent, so that the defaults of the function apply.
    absent = argparse.SUPPRESS
    command.add_argument("--levels", type=int, default=absent, help="levels of modules to report")
    command.add_argument("--chart", type=Path, default=absent, help="draw it: FILE.svg, FILE.html")
    command.add_argument("--lang", choices=("en", "zh"), default=absent)


def _add_diffusion(groups: Any) -> None:
    verbs = groups.add_parser("diffusion").add_subparsers(required=True, dest="verb")
    command = _add_verb(verbs, "train", _train_diffusion)
    _add_fields(command, diffusion.Plan)
    command.add_argument("--resume", action="store_true", help="go on from the checkpoint there")
    command = _add_verb(verbs, "sample", _draw)
    command.add_argument("--folder", type=Path, default=diffusion.Plan().folder, metavar="DIR")
    command.add_argument("--picture", type=Path, metavar="FILE", help="drawn.png in the folder")
    # Omitted options are absent, so that the defaults of the function apply.
    absent = argparse.SUPPRESS
    command.add_argument("--digits", default=absent, help=f"such as 314; {ANY} is for any")
    command.add_argument("--scale", type=float, default=absent, help="of guidance")
    command.add_argument("--num-steps", type=int, default=absent)
    command.add_argument("--eta", type=float, default=absent)
    command.add_argument("--seed", type=int, default=absent)


def _add_verb(verbs: Any, name: str, events: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = verbs.add_parser(name)
    command.set_defaults(events=events)
    return command


def _add_fields(command: argparse.ArgumentParser, plan: type) -> None:
    """Add a command-line option for each field of a plan; defaults are those of the plan."""
    kinds = get_type_hints(plan)
    for each in fields(plan):
        name, kind = f"--{each.name.replace('_', '-')}", kinds[each.name]
        if kind is bool:
            command.add_argument(name, action="store_true", default=argparse.SUPPRESS)
        else:
            # The type of an optional field is that of its value.
            kind = next((part for part in get_args(kind) if part is not NoneType), kind)
            command.add_argument(name, type=kind, default=argparse.SUPPRESS)


if __name__ == "__main__":
    interrupt_once()
    sys.exit(main())
