"""Read the package index that pip is configured with: files, sizes and metadata of wheels.

Options come from pip itself (its configuration files, ``PIP_*`` variables) and from
``TORCHSTONE_PIP_ARGS``, so this module reads a mirror, a proxy or a folder of wheels as pip does.
It downloads no wheel: metadata comes from the index (PEP 658), or by HTTP range requests from the
end of the wheel, where a zip file has its directory.
"""

import io
import json
import os
import re
import shlex
import threading
import zipfile
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Self, cast
from urllib.parse import unquote, urljoin, urlsplit

from packaging.requirements import Requirement
from packaging.tags import Tag
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version
from pip._internal.commands import create_command

from torchstone.core.paths import cache_dir

ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
RANGE_BYTES = 64 * 1024
# packaging reads markers by `ast`, whose depth CPython 3.11 counts for all threads together: two
# that parse at once can end in a SystemError.
_PARSING = threading.Lock()


class IndexUnreachableError(RuntimeError):
    """Raised when the index or a wheel cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFile:
    """Hold one wheel or source distribution of the index."""

    name: str
    version: Version
    filename: str
    url: str
    # Empty for a source distribution.
    tags: frozenset[Tag] = frozenset()
    requires_python: str = ""
    yanked: bool = False
    # Empty if the index has no hash; then the metadata is not cached.
    sha256: str = ""
    has_metadata: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMetadata:
    """Hold the requirements of one file, and its sizes (0 if unknown)."""

    requires: tuple[Requirement, ...]
    download_bytes: int
    disk_bytes: int


def parse_file(filename: str, url: str, **fields: Any) -> IndexFile | None:
    """Return the file that an index or a folder lists; ``None`` for a file that pip ignores."""
    path, _, fragment = url.partition("#")
    if not fields.get("sha256") and fragment.startswith("sha256="):
        fields["sha256"] = fragment.removeprefix("sha256=")
    try:
        if filename.endswith(".whl"):
            name, version, _, tags = parse_wheel_filename(filename)
            fields["tags"] = tags
        elif filename.endswith(".tar.gz"):
            name, version = parse_sdist_filename(filename)
        else:
            return None
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return None
    return IndexFile(name=name, version=version, filename=filename, url=path, **fields)


class _SimplePage(HTMLParser):
    """Collect the anchors of a page of the simple API in HTML."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.files: list[IndexFile | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record one anchor."""
        values = dict(attrs)
        if tag != "a" or not values.get("href"):
            return
        url = urljoin(self.base, values["href"] or "")
        filename = unquote(urlsplit(url).path.rpartition("/")[2])
        has_metadata = "data-core-metadata" in values or "data-dist-info-metadata" in values
        self.files.append(
            parse_file(
                filename,
                url,
                requires_python=values.get("data-requires-python") or "",
                yanked="data-yanked" in values,
                has_metadata=has_metadata,
            )
        )


def parse_json_page(page: dict[str, Any], base: str) -> list[IndexFile | None]:
    """Return the files of a page of the simple API in JSON (PEP 691)."""
    return [
        parse_file(
            entry["filename"],
            urljoin(base, entry["url"]),
            requires_python=entry.get("requires-python") or "",
            yanked=bool(entry.get("yanked")),
            sha256=entry.get("hashes", {}).get("sha256", ""),
            has_metadata=bool(entry.get("core-metadata") or entry.get("dist-info-metadata")),
        )
        for entry in page["files"]
    ]


class _RemoteFile(io.RawIOBase):
    """Read a file by HTTP range requests, its end first."""

    def __init__(self, index: "Index", url: str) -> None:
        super().__init__()
        self._index, self._url, self._position = index, url, 0
        self._start, self._held, self.length = self._fetch(f"-{RANGE_BYTES}")

    def _fetch(self, byte_range: str) -> tuple[int, bytes, int]:
        response = self._index.get(self._url, Range=f"bytes={byte_range}")
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
        if response.status_code != 206 or not found:
            raise IndexUnreachableError(f"no metadata and no range requests for {self._url}")
        return int(found[1]), response.content, int(found[2])

    def readable(self) -> bool:
        """Return true."""
        return True

    def seekable(self) -> bool:
        """Return true."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position."""
        self._position = (
            offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.length}[whence]
        )
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Read bytes, with one request if they are not in the buffer."""
        count = min(len(buffer), self.length - self._position)
        offset = self._position - self._start
        if count > 0 and not 0 <= offset <= offset + count <= len(self._held):
            end = min(self._position + max(count, RANGE_BYTES), self.length) - 1
            self._start, self._held, _ = self._fetch(f"{self._position}-{end}")
            offset = 0
        buffer[:count] = self._held[offset : offset + count]
        self._position += max(count, 0)
        return max(count, 0)


class Index:
    """Read every source of packages that pip uses."""

    def __init__(self, pip_args: str = "", *, cache: Path | None = None) -> None:
        command = cast(Any, create_command("install"))
        options, _ = command.parser.parse_args(shlex.split(pip_args))
        urls = [] if options.no_index else [options.index_url, *options.extra_index_urls]
        self._urls = [url.rstrip("/") for url in urls]
        self._folders = [Path(urlsplit(link).path) for link in options.find_links]
        self._session = command._build_session(options, retries=1, timeout=20)
        self._cache = cache or cache_dir() / "wheel-metadata"

    @classmethod
    def configured(cls) -> Self:
        """Return the index of pip's configuration and ``TORCHSTONE_PIP_ARGS``."""
        return cls(os.environ.get("TORCHSTONE_PIP_ARGS", ""))

    def get(self, url: str, **headers: str) -> Any:
        """Return the response to one request; a missing file is not an error."""
        try:
            return self._session.get(url, headers=headers, stream=True)
        except OSError as error:  # the base class of the errors of requests and of pip's network
            reason = f"{urlsplit(url).netloc} does not answer ({type(error).__name__})"
            raise IndexUnreachableError(reason) from error

    def files(self, name: str) -> list[IndexFile]:
        """Return all files of one package from all sources."""
        pages = [file for url in self._urls for file in self._page(url, name)]
        local = [
            parse_file(path.name, path.as_uri())
            for folder in self._folders
            if folder.is_dir()
            for path in folder.iterdir()
        ]
        return [file for file in [*pages, *local] if file and file.name == canonicalize_name(name)]

    def _page(self, index_url: str, name: str) -> list[IndexFile | None]:
        url = f"{index_url}/{canonicalize_name(name)}/"
        if url.startswith("file:"):
            page = Path(unquote(urlsplit(url).path)) / "index.html"
            return self._html(page.read_text("utf-8"), url) if page.is_file() else []
        response = self.get(url, Accept=ACCEPT)
        if response.status_code == 404:
            return []
        if response.status_code != 200:
            host = urlsplit(url).netloc
            raise IndexUnreachableError(f"{host} answers {response.status_code} for {name}")
        if "json" in response.headers.get("Content-Type", ""):
            return parse_json_page(response.json(), response.url)
        return self._html(response.text, response.url)

    @staticmethod
    def _html(text: str, url: str) -> list[IndexFile | None]:
        page = _SimplePage(url)
        page.feed(text)
        return page.files

    def metadata(self, file: IndexFile) -> FileMetadata:
        """Return the requirements and the sizes of a file; use the cache if it has the hash."""
        kept = self._cache / f"{file.sha256}.json"
        if file.sha256 and kept.is_file():
            return _from_json(json.loads(kept.read_text("utf-8")))
        found = self._read_metadata(file)
        if file.sha256:
            self._cache.mkdir(parents=True, exist_ok=True)
            partial = kept.with_suffix(f".{os.getpid()}")
            partial.write_text(json.dumps(found), "utf-8")
            partial.replace(kept)
        return _from_json(found)

    def _read_metadata(self, file: IndexFile) -> dict[str, Any]:
        if not file.tags:
            # Without a build, only the name and the size of a source distribution are known.
            return {"requires": [], "download_bytes": 0, "disk_bytes": 0}
        if file.url.startswith("file:"):
            path = Path(unquote(urlsplit(file.url).path))
            with path.open("rb") as opened:
                return _read_wheel(opened, path.stat().st_size)
        if file.has_metadata:
            response = self.get(f"{file.url}.metadata")
            if response.status_code == 200:
                size = int(self._session.head(file.url).headers.get("Content-Length", 0))
                return _describe(response.text, size, 0)
        remote = _RemoteFile(self, file.url)
        return _read_wheel(io.BufferedReader(remote, RANGE_BYTES), remote.length)


def _read_wheel(opened: Any, size: int) -> dict[str, Any]:
    with zipfile.ZipFile(opened) as wheel:
        members = wheel.infolist()
        (path,) = [
            member.filename
            for member in members
            if member.filename.count("/") == 1 and member.filename.endswith(".dist-info/METADATA")
        ]
        text = wheel.read(path).decode("utf-8")
    return _describe(text, size, sum(member.file_size for member in members))


def _describe(text: str, download_bytes: int, disk_bytes: int) -> dict[str, Any]:
    headers: Message = HeaderParser().parsestr(text)
    return {
        "requires": headers.get_all("Requires-Dist") or [],
        "download_bytes": download_bytes,
        "disk_bytes": disk_bytes,
    }


def _from_json(kept: dict[str, Any]) -> FileMetadata:
    with _PARSING:
        requires = tuple(Requirement(line) for line in kept["requires"])
    return FileMetadata(
        requires=requires,
        download_bytes=kept["download_bytes"],
        disk_bytes=kept["disk_bytes"],
    )
