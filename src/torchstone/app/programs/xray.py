"""X-ray in the judge's sandbox: PyTorch's internal behaviour in a program, as scenes."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchstone.app.judging.source import read_source
from torchstone.app.programs.child_program import last_words
from torchstone.core.child import running
from torchstone.core.errors import BadInput, TorchstoneError
from torchstone.core.i18n import LANGS, Lang, catalogue, text
from torchstone.core.isolation import Isolation
from torchstone.core.paths import cache_dir, runtime_dir
from torchstone.judge.observing.command import OBSERVED_IMPORTS, Launch, observer_command
from torchstone.judge.sandbox.levels import achieved, probe_machine
from torchstone.judge.sandbox.visible import find_visible
from torchstone.xray.diff import diff as compare_scenes
from torchstone.xray.render.svg import draw

EXTRACTORS = "torchstone.xray.__main__"
PARTS = ("xray",)
ERRORS, REFUSALS = "app.xray", "xray.refusal"
SCENES = ("dispatch", "graph", "storage", "compile", "memory")
MODES = ("grad", "no_grad", "inference_mode", "autocast")
Scene = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """Request for the scenes of a program.

    Attributes:
        name: Display name.
        text: Source of the program.
        scenes: Names of scenes, or ``all``.
        function: Function to examine; None for the whole program.
        under: Modes under which the program is run again.
        limits: Resource limits of a pass that override the defaults.
    """

    name: str
    text: str
    scenes: Sequence[str] = SCENES[:1]
    function: str | None = None
    under: Sequence[str] = ()
    limits: dict[str, int] | None = None


def examination_of(
    path: str, scene: str, *, function: str | None = None, under: Sequence[str] = ()
) -> Examination:
    """Return the request for a file.

    Raises:
        BadInput: The file is missing, not a regular file, or not text.
    """
    file = Path(path)
    text = read_source(file)
    return Examination(
        name=file.name, text=text, scenes=(scene,), function=function, under=tuple(under)
    )


def diff(before: str, after: str, scene: str) -> Scene:
    """Compare two runs, each given as a program or as scenes stored in JSON.

    Raises:
        BadInput: A file cannot be read or run, or the scenes are of different kinds.
        TorchstoneError: The extractors failed.
    """
    first, second = _scene_of(before, scene), _scene_of(after, scene)
    if first["scene"] != second["scene"]:
        raise BadInput("app.xray.kinds", before=first["scene"], after=second["scene"])
    return compare_scenes(first, second)


def _scene_of(path: str, scene: str) -> Scene:
    """Return the scene of a program, or a stored one."""
    if not path.endswith(".json"):
        (found,) = examine(examination_of(path, scene))
        return found
    try:
        kept: Scene = json.loads(read_source(Path(path)))
        if kept["schema"] != 1 or kept["scene"] not in SCENES:
            raise KeyError("scene")
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput("app.xray.no_scene", file=path) from error
    return kept


def examine(asked: Examination) -> Iterator[Scene]:
    """Run a program under the extractors and yield its scenes; closing the iterator ends it.

    Raises:
        BadInput: A name is unknown, or the program does something that cannot be shown.
        TorchstoneError: The extractors failed.
    """
    return _ask(order_of(asked), file=asked.name)


def order_of(asked: Examination) -> dict[str, Any]:
    """Return the order for the extractors.

    Raises:
        BadInput: A name is unknown.
    """
    _require_known("scene", asked.scenes, (*SCENES, "all"))
    _require_known("mode", asked.under, MODES)
    return {
        "command": "scene",
        "file": asked.name,
        "text": asked.text,
        "scenes": list(asked.scenes),
        "function": asked.function,
        "under": list(asked.under),
        "limits": asked.limits,
    }


def table(operator: str) -> Scene:
    """Return the kernel of each dispatch key of an operator.

    Raises:
        BadInput: There is no such operator.
        TorchstoneError: The extractors failed.
    """
    return _only({"command": "table", "op": operator})


def selftest() -> Scene:
    """Run the programs of the self-test, with and without the tracer.

    Raises:
        TorchstoneError: The extractors failed.
    """
    return _only({"command": "selftest"})


def level() -> Isolation:
    """Return the isolation level at which programs run on this machine."""
    return achieved(probe_machine())


def _require_known(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise BadInput(f"app.xray.{what}", name=name, known=", ".join(known))


def _only(order: dict[str, Any]) -> Scene:
    (found,) = _ask(order)
    return found


def _ask(order: dict[str, Any], *, file: str = "-") -> Iterator[Scene]:
    """Send an order to the extractors in the sandbox; yield the answers."""
    with closing(launch()) as launched, tempfile.TemporaryFile() as written:
        with running(
            launched.argv,
            env=launched.env,
            pass_fds=launched.pass_fds,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=written,
        ) as process:
            assert process.stdin is not None, "its stdin is a pipe"
            assert process.stdout is not None, "its stdout is a pipe"
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.close()
            num_answers = 0
            for line in process.stdout:
                event = read_answer(line, file)
                if event is not None:
                    num_answers += 1
                    yield event
        if process.returncode or not num_answers:
            words = last_words(written)
            raise TorchstoneError(f"{ERRORS}.died", status=process.returncode, words=words)


def launch() -> Launch:
    """Return the command of the extractors in their sandbox; the caller closes it."""
    machine = probe_machine()
    return observer_command(
        achieved(machine),
        machine=machine,
        visible=find_visible(cache=cache_dir(), imports=OBSERVED_IMPORTS),
        module=EXTRACTORS,
        parts=PARTS,
        runtime=runtime_dir(),
    )


def read_answer(line: bytes, file: str) -> Scene | None:
    """Parse an answer line; None for the end.

    Raises:
        BadInput: The program does something that cannot be shown.
        TorchstoneError: The extractors failed, or the line is invalid.
    """
    try:
        event: Scene = json.loads(line)
        kind = event.pop("event")
    except (ValueError, KeyError) as error:
        raise TorchstoneError(f"{ERRORS}.garbled", line=line[:1000].decode()) from error
    if kind != "error":
        return None if kind == "end" else event
    key = f"{REFUSALS}.{event['code']}"
    if f"{key}.message" not in catalogue("xray", "en"):
        raise TorchstoneError(f"{ERRORS}.unknown", reason=event["message"])
    values = {name: "?" if value is None else value for name, value in event["values"].items()}
    raise BadInput(key, **{"file": file, **values})


def draw_pictures(scenes: Sequence[Scene], folder: Path, lang: Lang) -> None:
    """Draw each scene into a file named after the scene.

    Raises:
        BadInput: The folder cannot be written.
    """

    def say(key: str, **values: object) -> str:
        return words_of(key, lang, **values)

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for scene in scenes:
            (folder / f"{scene['scene']}.svg").write_text(draw(scene, say), encoding="utf-8")
    except OSError as error:
        raise BadInput("app.xray.unwritable", file=folder, reason=error.strerror) from error


def words_of(key: str, lang: Lang, **values: object) -> str:
    """Return a message of the x-ray."""
    assert lang in LANGS, "a language of the catalogue"
    return text(f"xray.{key}", lang, **values)
