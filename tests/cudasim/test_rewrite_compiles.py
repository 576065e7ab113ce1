import shutil
import subprocess
from pathlib import Path

import pytest

from torchstone.cudasim.rewrite import rewrite

pytestmark = pytest.mark.cudasim

HERE = Path(__file__).parent / "rewrite"
PROGRAMS = sorted(HERE.glob("*.cu"))
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


def compile_program(text: str, folder: Path, compiler: str) -> Path:
    source = folder / "program.cpp"
    source.write_text(text, encoding="utf-8", newline="")
    command = [compiler, "-std=c++17", "-Wall", "-Wno-unused", "-Werror"]
    if "clang" in compiler:
        # What the programs write on purpose: null pointers as conditions, braces around one value.
        command += ["-Wno-null-conversion", "-Wno-braced-scalar-init"]
    command.append("-include")
    result = subprocess.run(
        [*command, str(HERE / "stub.h"), str(source), "-o", str(folder / "program")],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return folder / "program"


@pytest.mark.full
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_rewritten_program_compiles_and_finds_all_as_it_should_be(path, compiler, tmp_path):
    result = rewrite(path.read_text(encoding="utf-8"), name=path.name)
    program = compile_program(result.text, tmp_path, compiler)
    outcome = subprocess.run([program], capture_output=True, text=True)
    assert (outcome.returncode, outcome.stdout) == (0, "")


def test_windows_line_ends_compile(tmp_path):
    source = (HERE / "macros.cu").read_text(encoding="utf-8").replace("\n", "\r\n")
    program = compile_program(rewrite(source).text, tmp_path, COMPILERS[0])
    assert subprocess.run([program]).returncode == 0


def test_the_compiler_finds_an_error_on_the_line_of_the_source(tmp_path):
    source = "__global__ void k(\n  int* x) {\n  __shared__ int\n  a[2];\n  wrong;\n}\n"
    with pytest.raises(AssertionError, match=r"program\.cpp:5:3: error: .*wrong"):
        compile_program(rewrite(source).text, tmp_path, COMPILERS[0])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("#if 1 > 0\nint f() { return __shfl(1, 2); }\n#endif\n", "__shfl is not supported"),
        ("#define F(v) __any(v)\nint f() { return F(1); }\n", "use __any_sync(0xffffffff"),
        ("#if 1 > 0\n#include <thrust/sort.h>\n#endif\n", "thrust/sort.h is not supported"),
    ],
)
def test_the_compiler_refuses_what_an_if_or_a_macro_brings_in(source, message, tmp_path):
    with pytest.raises(AssertionError) as caught:
        compile_program(rewrite(source).text, tmp_path, COMPILERS[0])
    assert message in str(caught.value)
