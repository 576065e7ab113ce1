"""Command line: run a CUDA program that has a main, or check it for bugs.

Usage: ``python -m torchstone.cudasim run FILE.cu [-- ARGUMENTS]``
       ``python -m torchstone.cudasim check FILE.cu [--json] [--orders N] [-- ARGUMENTS]``

Findings are reported in English, or in Chinese with ``--lang zh``. ``run`` exits with the status of
the program. ``check`` exits with 0 when it finds nothing and the program exits with 0, otherwise
with 1. Both exit with 2 when there is nothing to run: no such file, a program that does not
compile, no compiler.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from torchstone.cudasim.counters import KernelCounters, read_counters
from torchstone.cudasim.findings import Finding, merge_findings, read_findings
from torchstone.cudasim.nvcc import ask_nvcc
from torchstone.cudasim.products import CacheError
from torchstone.cudasim.profile import profile_as_json, render_profile
from torchstone.cudasim.program import NoMain, Product, build_program, order_file
from torchstone.cudasim.report import as_json, render_findings
from torchstone.cudasim.toolchain import (
    Build,
    CompileError,
    CompilerMissing,
    RuntimeBroken,
    find_toolchain,
)
from torchstone.cudasim.words import LANGS, Lang, say, translate

MISUSE = 2
# The exit code that shells give to a program ended by Ctrl-C.
INTERRUPTED = 128 + signal.SIGINT
END_SECONDS = 2.0
WATCHDOG_SECONDS = 20.0
ASCENDING, DESCENDING, RANDOM = range(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result of a run.

    Attributes:
        exit_code: The exit code; negative values are the number of the signal that ended the run.
        findings: What the runtime found.
        counters: The counters of the kernels that ran.
    """

    exit_code: int
    findings: tuple[Finding, ...]
    counters: tuple[KernelCounters, ...]


def main(arguments: list[str] | None = None) -> int:
    """Run or check a program; return the exit code that the module documentation lists."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    # Everything after "--" belongs to the program.
    cut = words.index("--") if "--" in words else len(words)
    given = _parser().parse_args(words[:cut])
    lang: Lang = given.lang
    build = Build.CHECK if given.command == "check" else Build.FAST
    try:
        product = build_program(
            find_toolchain(), order_file(given.file, build=build, executable=True)
        )
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return _refuse(say("refused.unreadable", lang, file=given.file, reason=reason), lang)
    except CompileError as error:
        # Messages with a source position use the format of compilers.
        return _refuse(translate(str(error), lang), lang, is_whole=bool(error.messages))
    except NoMain:
        return _refuse(say("refused.no_main", lang, file=given.file.name), lang)
    except (CompilerMissing, RuntimeBroken, CacheError) as error:
        return _refuse(translate(str(error), lang), lang)
    except KeyboardInterrupt:
        return INTERRUPTED
    try:
        act = _check if given.command == "check" else _run
        return act(product, words[cut + 1 :], given)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe. Discard what Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _refuse(words: str, lang: Lang, *, is_whole: bool = False) -> int:
    line = words if is_whole else say("refused.line", lang, message=words)
    sys.stderr.write(f"{line}\n")
    return MISUSE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m torchstone.cudasim",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, words in (("run", "run a program"), ("check", "look for bugs in a program")):
        command = commands.add_parser(name, help=words)
        command.add_argument("file", type=Path, metavar="FILE.cu")
        command.add_argument(
            "--watchdog", type=_seconds, default=WATCHDOG_SECONDS, metavar="SECONDS",
            help="how long a kernel may take; 0 is for ever",
        )  # fmt: skip
        command.add_argument("--lang", choices=LANGS, default="en", help="of what is reported")
    command.add_argument("--json", action="store_true", help="the report as one JSON object")
    command.add_argument(
        "--orders", type=_count, default=1, metavar="N",
        help="run N times, the threads in another order each time",
    )  # fmt: skip
    return parser


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < 1e6:
        raise ValueError(text)
    return seconds


def _count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= 1000:
        raise ValueError(text)
    return count


def _run(product: Product, arguments: list[str], given: argparse.Namespace) -> int:
    outcome = _execute(product, arguments, watchdog=given.watchdog)
    if outcome.findings:
        _write_findings(product, outcome.findings, sys.stderr, given.lang)
    code = outcome.exit_code
    if code < 0:
        sys.stderr.write(f"{_describe_end(code, given.lang)}\n")
    facts = (fact.say for finding in outcome.findings for fact in finding.detail)
    if code == 0 and "launch-of-no-kernel" in facts:
        # The kernel ran as a host function, so its results are wrong.
        return 1
    return code if code >= 0 else 128 - code


def _check(product: Product, arguments: list[str], given: argparse.Namespace) -> int:
    outcomes = []
    for number in range(given.orders):
        # With --json, stdout gets only the report, and the program's output once.
        output = sys.stderr if given.json else sys.stdout
        outcomes.append(
            _execute(
                product,
                arguments,
                watchdog=given.watchdog,
                output=output.fileno() if number == 0 else subprocess.DEVNULL,
                order=min(number, RANDOM),
                seed=number,
            )
        )
    findings = merge_findings(finding for each in outcomes for finding in each.findings)
    exit_code = next((each.exit_code for each in outcomes if each.exit_code), 0)
    is_good = not findings and exit_code == 0
    if given.json:
        answer = {
            "ok": is_good,
            "exit_code": exit_code,
            "findings": [as_json(each, given.lang) for each in findings],
            **profile_as_json(outcomes[0].counters, ask_nvcc(given.file)),
        }
        sys.stdout.write(json.dumps(answer) + "\n")
    else:
        if is_good and outcomes[0].counters:
            # Suggest optimizations only for a program without errors.
            said = ask_nvcc(given.file)
            profile = render_profile(outcomes[0].counters, said, product.sources, lang=given.lang)
            sys.stdout.write(f"{profile}\n\n")
        _print_report(product, findings, exit_code, given.lang)
    sys.stdout.flush()
    return 0 if is_good else 1


def _print_report(
    product: Product, findings: tuple[Finding, ...], exit_code: int, lang: Lang
) -> None:
    if findings:
        _write_findings(product, findings, sys.stdout, lang)
        sys.stdout.write("\n")
    if exit_code:
        sys.stdout.write(f"{_describe_end(exit_code, lang)}\n")
    end = say("report.found" if findings else "report.nothing_found", lang, count=len(findings))
    sys.stdout.write(f"{end}\n")


def _write_findings(
    product: Product, findings: tuple[Finding, ...], stream: TextIO, lang: Lang
) -> None:
    has_color = stream.isatty() and "NO_COLOR" not in os.environ
    shown = render_findings(findings, product.sources, lang=lang, has_color=has_color)
    stream.write(f"{shown}\n")


def _describe_end(exit_code: int, lang: Lang) -> str:
    if exit_code >= 0:
        return say("ended.with_code", lang, code=exit_code)
    return say("ended.by_signal", lang, signal=signal.Signals(-exit_code).name)


def _execute(
    product: Product,
    arguments: list[str],
    *,
    watchdog: float,
    output: int | None = None,
    order: int = ASCENDING,
    seed: int = 0,
) -> Outcome:
    """Run a program to completion, and read the findings of its runtime."""
    with tempfile.TemporaryDirectory(prefix="cusim-") as folder:
        report = Path(folder) / "report.json"
        environment = {
            "CUSIM_WATCHDOG_MS": str(round(watchdog * 1000)),
            **os.environ,
            "CUSIM_REPORT": str(report),
        }
        if order != ASCENDING:
            environment |= {"CUSIM_ORDER": str(order), "CUSIM_SEED": str(seed)}
        sys.stdout.flush()
        sys.stderr.flush()
        process: subprocess.Popen[bytes] | None = None
        try:
            with _interrupted_behind():
                process = subprocess.Popen(
                    [product.path, *arguments], stdout=output, env=environment
                )
            exit_code = process.wait()
        except BaseException:
            if process is not None:
                _end(process)
            raise
        return _read_report(report, exit_code)


@contextmanager
def _interrupted_behind() -> Iterator[None]:
    """Delay an interrupt until the end of the block.

    ``Popen`` returns some time after the program has started. After an interrupt in between, no
    object would refer to the process, and it would keep running.
    """
    # ``torchstone.core.child`` does this for the product; cudasim imports nothing from it.
    came: list[int] = []
    told = (signal.SIGINT, signal.SIGTERM)
    minded = [each for each in told if signal.getsignal(each) is signal.default_int_handler]
    for each in minded:
        signal.signal(each, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for each in minded:
            signal.signal(each, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt


def _end(process: subprocess.Popen[bytes]) -> None:
    """Terminate a program, which Ctrl-C may already have interrupted; kill it if needed."""
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        # A further interrupt must not leave the program running.
        if process.poll() is None:
            process.kill()
            process.wait()


def _read_report(report: Path, exit_code: int) -> Outcome:
    try:
        written = json.loads(report.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError):
        # The program was killed, or ended without writing its report.
        return Outcome(exit_code=exit_code, findings=(), counters=())
    findings = read_findings(json.dumps(written["findings"]))
    counters = read_counters(json.dumps(written["counters"]))
    return Outcome(exit_code=exit_code, findings=findings, counters=counters)


if __name__ == "__main__":
    # Treat SIGTERM as an interrupt, so that it also ends the running program.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
