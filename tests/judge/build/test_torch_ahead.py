"""What is made ahead for extensions changes how long a build takes, and nothing that it gives."""

import re
import subprocess
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT
from torchstone.cudasim.toolchain import Toolchain, find_toolchain
from torchstone.judge.build.extension import build_extension, make_shared
from torchstone.judge.build.refusals import Refused
from torchstone.judge.build.torch_ahead import HEADERS, include_ahead
from torchstone.judge.native.build import torch_folder

SOURCE = (CONTENT / "problems/41_cpp_extension/solution.cpp").read_text(encoding="utf-8")
INCLUDES = "".join(f"#include <{header}>\n" for header in HEADERS)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    """Return a compiler for which everything is made."""
    toolchain = find_toolchain(cache=tmp_path_factory.mktemp("made"))
    make_shared(toolchain, torch_folder())
    return toolchain


def test_objects_are_the_same_and_libraries_name_the_same(warm: Toolchain, tmp_path: Path) -> None:
    objects, needed = [], []
    for name, toolchain in (("cold", find_toolchain(cache=tmp_path / "none")), ("warm", warm)):
        folder = tmp_path / name
        folder.mkdir()
        assert build_extension(toolchain, folder, torch_folder(), SOURCE).startswith(b"\x7fELF")
        objects.append((folder / "ext.o").read_bytes())
        asked = ["readelf", "-dW", str(folder / "ext.so")]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        needed.append(re.findall(r"NEEDED.*\[(.*)\]", said))
    assert objects[0] == objects[1]
    assert needed[0] == needed[1]
    assert needed[0][:2] == ["libtorch_cpu.so", "libc10.so"]


def test_a_name_of_a_header_that_is_not_included_stays_unknown(
    warm: Toolchain, tmp_path: Path
) -> None:
    source = SOURCE.replace("#include <torch/csrc/stable/ops.h>\n", "")
    with pytest.raises(Refused) as caught:
        build_extension(warm, tmp_path, torch_folder(), source)
    assert caught.value.reply["key"] == "compiler"


@pytest.mark.parametrize(
    ("source", "is_ahead"),
    [
        (INCLUDES, True),
        (f"// A comment\n#include <vector>\n/* and one\n more */ {INCLUDES}int x;\n", True),
        (INCLUDES.replace("#include <", "#  include  <"), True),
        ("", False),
        (INCLUDES.partition("\n")[2], False),
        (f"#define NDEBUG\n{INCLUDES}", False),
        (f"int x;\n{INCLUDES}", False),
        (f"#if 0\n{INCLUDES}#endif\n", False),
        (f"#\n{INCLUDES}", False),
        (f'#include "<{HEADERS[0]}>"\n' + INCLUDES.partition("\n")[2], False),
    ],
)
def test_headers_come_ahead_only_of_a_source_that_begins_with_them(
    source: str, is_ahead: bool
) -> None:
    options = include_ahead(Path("/made"), source)
    assert options == (("-include", "/made/torch-all.h") if is_ahead else ())
