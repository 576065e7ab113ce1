"""Install packages that load a library from another package's folder, as torch's CUDA builds do.

`front` is linked with `vendor/cu13/lib/libvendor.so.1`, which it finds by a run path relative to
itself. `preload` opens `vendor/rt/lib/libpreloaded.so.1` by a search of `sys.path`. In the folder
of the first lies one more library that nothing loads.
"""

import subprocess
import sys
import venv
from pathlib import Path

from torchstone.judge.native.build import COMPILERS

ANSWER = 42
USED = "vendor/cu13/lib/libvendor.so.1"
PRELOADED = "vendor/rt/lib/libpreloaded.so.1"
UNUSED = "vendor/cu13/lib/libunused.so.1"
_FRONT = """
import ctypes, os
_library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "lib", "libfront.so"))
answer = _library.front_answer
"""
_PRELOAD = """
import ctypes, glob, os, sys
(path,) = [each for folder in sys.path
           for each in glob.glob(os.path.join(folder, "vendor", "*", "lib", "libpreloaded.so.*"))]
answer = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL).vendor_answer
"""


def build_library(path: Path, source: str, *options: str) -> Path:
    """Compile C++ to a shared library."""
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [COMPILERS[0], "-x", "c++", "-", "-shared", "-fPIC", "-o", str(path), *options]
    subprocess.run(command, input=source, text=True, check=True)
    return path


def install(folder: Path) -> Path:
    """Make a virtual environment with both packages; return its interpreter."""
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin/python"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    vendor = f'extern "C" int vendor_answer() {{ return {ANSWER}; }}'
    for name in (USED, UNUSED, PRELOADED):
        build_library(site / name, vendor, f"-Wl,-soname,{Path(name).name}")
    for name, text in (("front", _FRONT), ("preload", _PRELOAD)):
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(text)
    build_library(
        site / "front/lib/libfront.so",
        'extern "C" int vendor_answer(); extern "C" int front_answer() { return vendor_answer(); }',
        "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../../vendor/cu13/lib",
        "-x", "none", str(site / USED),
    )  # fmt: skip
    return python
