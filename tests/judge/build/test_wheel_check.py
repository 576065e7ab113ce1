"""A wheel is looked at without running anything of it."""

import contextlib
import io
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.bank.schema import Package
from torchstone.judge.build.wheel_check import MOST_FILES, BadWheel, refuse_wheel

PACKAGE = Package(distribution="ts-demo", version="1.0.0", module="ts_demo", requires=("torch",))
INFORMATION = "ts_demo-1.0.0.dist-info"
METADATA = "Metadata-Version: 2.4\nName: ts-demo\nVersion: 1.0.0\nRequires-Dist: torch>=2.10\n"
WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp310-abi3-linux_x86_64\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return _compile(tmp_path_factory.mktemp("lib"), "int f() { return 1; }")


def _compile(folder: Path, source: str) -> bytes:
    (folder / "a.cpp").write_text(source)
    command = ["g++", "-shared", "-fPIC", "a.cpp", "-o", "a.so"]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "a.so").read_bytes()


def _wheel(files: dict[str, bytes | str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
    return made.getvalue()


def _files(library: bytes) -> dict[str, bytes | str]:
    return {
        "ts_demo/__init__.py": "",
        "ts_demo/_C.abi3.so": library,
        f"{INFORMATION}/METADATA": METADATA,
        f"{INFORMATION}/WHEEL": WHEEL,
        f"{INFORMATION}/RECORD": "",
    }


def _refused(files: dict[str, bytes | str]) -> tuple[str, str]:
    with pytest.raises(BadWheel) as caught:
        refuse_wheel(_wheel(files), PACKAGE)
    return caught.value.code, caught.value.key


def test_a_wheel_of_the_package_alone_is_taken(library: bytes) -> None:
    refuse_wheel(_wheel(_files(library)), PACKAGE)
    refuse_wheel(_wheel(_files(library) | {"_ts_demo.abi3.so": library}), PACKAGE)


@pytest.mark.parametrize(
    "name",
    [
        "sitecustomize.py",
        "ts_demo.pth",
        "torch/__init__.py",
        "ts_demo-1.0.0.data/data/etc/passwd",
        "ts_demo/../torch/a.py",
        "../a.py",
        "ts_demo_extra/__init__.py",
        "ts_demo.py",
    ],
)
def test_what_is_not_of_the_package_is_forbidden(library: bytes, name: str) -> None:
    assert _refused(_files(library) | {name: "x"}) == ("FORBIDDEN_OP", "wheel_file")


def test_a_link_is_forbidden(library: bytes) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as wheel:
        for name, data in _files(library).items():
            wheel.writestr(name, data)
        info = zipfile.ZipInfo("ts_demo/link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        wheel.writestr(info, "/etc/passwd")
    with pytest.raises(BadWheel, match="wheel_file"):
        refuse_wheel(made.getvalue(), PACKAGE)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("Name: ts-demo", "Name: other", "wheel_name"),
        ("Version: 1.0.0", "Version: 0.0.0", "wheel_name"),
        ("torch>=2.10", "torchvision", "wheel_requires"),
        ("Requires-Dist: torch>=2.10\n", "", "wheel_requires"),
    ],
)
def test_metadata_say_what_is_asked_for(library: bytes, old: str, new: str, key: str) -> None:
    assert old in METADATA
    changed = {f"{INFORMATION}/METADATA": METADATA.replace(old, new)}
    assert _refused(_files(library) | changed) == ("CE", key)


def test_compiled_code_is_not_for_every_platform(library: bytes) -> None:
    pure = {f"{INFORMATION}/WHEEL": WHEEL.replace("cp310-abi3-linux_x86_64", "py3-none-any")}
    assert _refused(_files(library) | pure) == ("CE", "wheel_tag")


def test_a_wheel_without_a_library_is_none(library: bytes) -> None:
    files = _files(library)
    del files["ts_demo/_C.abi3.so"]
    assert _refused(files) == ("CE", "wheel_library")


def test_a_library_that_is_none_cannot_be_read(library: bytes) -> None:
    assert _refused(_files(library) | {"ts_demo/_C.abi3.so": "text"}) == ("CE", "wheel_broken")


def test_operators_past_the_dispatcher_are_forbidden(library: bytes, tmp_path: Path) -> None:
    name = "aoti_torch_cpu_leaky_relu"
    past = _compile(tmp_path, f'extern "C" int {name}(); int f() {{ return {name}(); }}')
    assert _refused(_files(library) | {"ts_demo/_C.abi3.so": past}) == ("FORBIDDEN_OP", "symbol")


@pytest.mark.parametrize("name", ["ts_demo/weights.bin", "ts_demo/_C.so.1"])
def test_a_library_is_one_by_any_name(library: bytes, tmp_path: Path, name: str) -> None:
    past = _compile(
        tmp_path, 'extern "C" int aoti_torch_cpu_relu(); int x = aoti_torch_cpu_relu();'
    )
    assert _refused(_files(library) | {name: past}) == ("FORBIDDEN_OP", "symbol")


@given(st.data())
def test_whatever_an_archive_holds_it_is_taken_or_refused(
    library: bytes, data: st.DataObject
) -> None:
    method = data.draw(st.sampled_from((zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as wheel:
        for name, text in _files(library).items():
            wheel.writestr(zipfile.ZipInfo(name), text, compress_type=method)
    broken = bytearray(made.getvalue())
    places = st.integers(0, len(broken) - 1)
    for place, byte in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), max_size=8)):
        broken[place] = byte
    with contextlib.suppress(BadWheel):
        refuse_wheel(bytes(broken), PACKAGE)


def test_many_files_or_bytes_are_refused_before_they_are_read(library: bytes) -> None:
    many = {f"ts_demo/f{n}.py": "" for n in range(MOST_FILES)}
    assert _refused(_files(library) | many) == ("CE", "wheel_large")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("ts_demo/zeros", b"\0" * (80 << 20))
    with pytest.raises(BadWheel, match="wheel_large"):
        refuse_wheel(bomb.getvalue(), PACKAGE)


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x05\x06" + b"\xff" * 30])
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    with pytest.raises(BadWheel, match="wheel_broken"):
        refuse_wheel(data, PACKAGE)
