"""Static check of a built wheel on the host; nothing of the wheel is executed or imported."""

from __future__ import annotations

import email.parser
import io
import lzma
import re
import struct
import zipfile
import zlib
from typing import Any

from torchstone.bank.schema import Package
from torchstone.judge.build.objects import find_past_dispatcher, read_symbols

MOST_FILES = 256
MOST_BYTES = 64 << 20
METADATA_BYTES = 1 << 16
_ELF = b"\x7fELF"
_BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, struct.error,
    OverflowError, NotImplementedError, RuntimeError,
)  # fmt: skip


class BadWheel(ValueError):
    """Raised when a wheel is not acceptable.

    Attributes:
        code: CE, or FORBIDDEN_OP for a forbidden file or symbol.
        key: The rule that the wheel breaks.
        word: The file or the line that breaks it.
    """

    def __init__(self, code: str, key: str, word: str = "") -> None:
        super().__init__(f"{key}: {word}")
        self.code, self.key, self.word = code, key, word


def refuse_wheel(data: bytes, package: Package) -> None:
    """Check that a wheel is what the problem requires and contains only its own package.

    Raises:
        BadWheel: The wheel breaks a rule.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as wheel:
            _refuse_size(wheel)
            information = _refuse_metadata(wheel, package)
            _refuse_files(wheel, package, information)
            _refuse_libraries(wheel)
            _refuse_tags(wheel, information)
    except BadWheel:
        raise
    # A forged archive or compressed file can raise any of these exceptions.
    except _BROKEN as error:
        raise BadWheel("CE", "wheel_broken", str(error)[:200]) from None


def _refuse_size(wheel: zipfile.ZipFile) -> None:
    infos = wheel.infolist()
    if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > MOST_BYTES:
        raise BadWheel("CE", "wheel_large", f"{MOST_BYTES >> 20} MiB")


def _refuse_files(wheel: zipfile.ZipFile, package: Package, information: str) -> None:
    module = re.escape(package.module)
    ours = re.compile(rf"{module}/[^\0]+|_{module}[\w.-]*\.so|{re.escape(information)}/[^\0]+")
    for info in wheel.infolist():
        parts = info.filename.split("/")
        is_link = (info.external_attr >> 16) & 0o170000 == 0o120000
        if not ours.fullmatch(info.filename) or ".." in parts or is_link:
            raise BadWheel("FORBIDDEN_OP", "wheel_file", info.filename)


def _refuse_libraries(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    files = {name: wheel.read(name) for name in sorted(names) if not name.endswith("/")}
    # A library is recognised by its content, not by its name.
    libraries = [
        data for name, data in files.items() if name.endswith(".so") or data.startswith(_ELF)
    ]
    for data in libraries:
        for symbol in find_past_dispatcher(read_symbols(data)):
            raise BadWheel("FORBIDDEN_OP", "symbol", symbol)
    if not any(name.endswith(".so") for name in files):
        raise BadWheel("CE", "wheel_library")


def _refuse_metadata(wheel: zipfile.ZipFile, package: Package) -> str:
    """Check the metadata; return its folder."""
    folders = {name.split("/")[0] for name in wheel.namelist()}
    found = sorted(name for name in folders if name.endswith(".dist-info"))
    if len(found) != 1:
        raise BadWheel("CE", "wheel_name", ", ".join(found))
    metadata = _read(wheel, f"{found[0]}/METADATA")
    name = re.sub(r"[-_.]+", "-", metadata.get("Name", "")).lower()
    if name != package.distribution or metadata.get("Version") != package.version:
        raise BadWheel("CE", "wheel_name", f"{metadata.get('Name')} {metadata.get('Version')}")
    lines = metadata.get_all("Requires-Dist", [])
    required = {re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines}
    for each in package.requires:
        if each not in required:
            raise BadWheel("CE", "wheel_requires", each)
    return found[0]


def _refuse_tags(wheel: zipfile.ZipFile, information: str) -> None:
    tags = _read(wheel, f"{information}/WHEEL").get_all("Tag", [])
    if not tags or any(tag.endswith("-any") for tag in tags):
        raise BadWheel("CE", "wheel_tag", ", ".join(tags))


def _read(wheel: zipfile.ZipFile, name: str) -> Any:
    try:
        if wheel.getinfo(name).file_size > METADATA_BYTES:
            raise BadWheel("CE", "wheel_large", name)
        text = wheel.read(name).decode("utf-8", "replace")
    except KeyError:
        raise BadWheel("CE", "wheel_name", name) from None
    return email.parser.Parser().parsestr(text, headersonly=True)
