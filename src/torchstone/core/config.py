"""Settings: defaults, then ``config.toml``, then ``TORCHSTONE_*`` variables; the last one wins."""

import difflib
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from torchstone.core.errors import BadInput
from torchstone.core.i18n import LANGS, Lang, detect_lang
from torchstone.core.isolation import Isolation
from torchstone.core.paths import config_dir

MAX_WORKERS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a user.

    Args:
        lang: The language of messages; the locale's when not set.
        workers: Number of jobs that are judged at once; 0 selects it by the machine.
        isolation: The weakest isolation a job may run at.
        idle_minutes: Minutes until an idle judge host ends.
        question_minutes: Planned minutes of the due questions of a day.
    """

    lang: Lang = "en"
    workers: int = 0
    isolation: Isolation = Isolation.NONE
    idle_minutes: int = 15
    question_minutes: int = 20


def load_settings(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from the file and the environment.

    Args:
        path: The file; ``config.toml`` of the configuration folder when not given. A file that
            does not exist sets nothing.
        environ: The variables to read; the process's own when not given.

    Raises:
        BadInput: The file is not TOML, or a setting is unknown or has an unusable value.
    """
    variables = os.environ if environ is None else environ
    source = path if path is not None else config_dir() / "config.toml"
    settings = Settings(lang=detect_lang(variables))
    from_file = {name: _read(name, value, where=str(source)) for name, value in _parse(source)}
    from_environment = {
        name: _read_variable(name, variables[_variable(name)])
        for name in _READERS
        if name != "lang" and variables.get(_variable(name))
    }
    # detect_lang has already read TORCHSTONE_LANG; an explicit variable overrides the file.
    if variables.get("TORCHSTONE_LANG"):
        from_file.pop("lang", None)
    chosen = {name: getattr(settings, name) for name in _READERS} | from_file | from_environment
    return Settings(**chosen)


def _parse(path: Path) -> list[tuple[str, object]]:
    try:
        content = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("core.settings_unreadable", path=path, reason=error) from error
    try:
        return list(tomllib.loads(content).items())
    # RecursionError: the brackets are nested too deeply.
    except (ValueError, RecursionError) as error:
        raise BadInput("core.settings_unreadable", path=path, reason=error) from error


def _read(name: str, value: object, *, where: str) -> object:
    reader = _READERS.get(name)
    if reader is None:
        near = difflib.get_close_matches(name, _READERS, n=1)
        raise BadInput(
            "core.setting_unknown",
            name=name,
            where=where,
            near=near[0] if near else next(iter(_READERS)),
            known=", ".join(_READERS),
        )
    return reader(name, value, where)


def _read_variable(name: str, value: str) -> object:
    is_number = name not in {"lang", "isolation"} and value.strip().isdecimal()
    return _read(name, int(value) if is_number else value, where=_variable(name))


def _variable(name: str) -> str:
    return f"TORCHSTONE_{name.upper()}"


def _one_of(*allowed: str) -> Callable[[str, object, str], str]:
    def read(name: str, value: object, where: str) -> str:
        if value not in allowed:
            raise _unusable(name, value, where=where, expected=" | ".join(allowed))
        return str(value)

    return read


def _integer(low: int, high: int) -> Callable[[str, object, str], int]:
    def read(name: str, value: object, where: str) -> int:
        # bool is an int in Python; `workers = true` is a mistake, not one worker.
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise _unusable(name, value, where=where, expected=f"{low} … {high}")
        return value

    return read


def _isolation(name: str, value: object, where: str) -> Isolation:
    return Isolation(_one_of(*Isolation)(name, value, where))


def _unusable(name: str, value: object, *, where: str, expected: str) -> BadInput:
    return BadInput(
        "core.setting_unusable", name=name, where=where, came=repr(value), expected=expected
    )


_READERS: dict[str, Callable[[str, object, str], object]] = {
    "lang": _one_of(*LANGS),
    "workers": _integer(0, MAX_WORKERS),
    "isolation": _isolation,
    "idle_minutes": _integer(1, 24 * 60),
    "question_minutes": _integer(0, 24 * 60),
}
