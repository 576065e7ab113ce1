import ast
import graphlib
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

import torchstone
from tools.pending import read_lock
from torchstone.core import errors
from torchstone.core.i18n import LANGS, catalogue

pytestmark = pytest.mark.pure

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(torchstone.__file__).parent
FRONT_DOOR = ("core", "bank", "store", "judge", "study", "app", "cli")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def front_door_modules() -> list[str]:
    files = [path for part in FRONT_DOOR for path in sorted((PACKAGE / part).rglob("*.py"))]
    names = [
        path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".")
        for path in files
        if "migrations" not in path.parts and path.name != "__main__.py"
    ]
    return [name for name in names if not name.startswith(sandboxed_modules())]


def sandboxed_modules() -> tuple[str, ...]:
    contracts = PYPROJECT["tool"]["importlinter"]["contracts"]
    (protected,) = [c["protected_modules"] for c in contracts if c["type"] == "protected"]
    return ("torchstone.judge.child", *protected)


def test_the_front_door_opens_without_torch() -> None:
    modules = [name.removesuffix(".__init__") for name in front_door_modules()]
    assert "torchstone.bank.loader" in modules
    program = (
        "import importlib, sys\n"
        f"for name in {modules!r}:\n"
        "    importlib.import_module(name)\n"
        "    heavy = {'torch', 'numpy', 'ray', 'triton'} & sys.modules.keys()\n"
        "    assert not heavy, (name, heavy)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# Methods of a tensor and what is built on tensors: imported when they are called, as in PyTorch.
UPWARD = (
    ("tensor", "autograd.gradients"),
    ("tensor", "autograd.inplace"),
    ("tensor", "ops.namespace"),
    ("valued", "printing"),
)


def test_no_module_imports_itself_by_way_of_others() -> None:
    # Imports for type checkers alone are no imports at run time.
    graph = grimp.build_graph("torchstone", exclude_type_checking_imports=True, cache_dir=None)
    for importer, imported in UPWARD:
        names = {"importer": f"torchstone.microtorch.{importer}"}
        names["imported"] = f"torchstone.microtorch.{imported}"
        assert graph.direct_import_exists(**names)
        graph.remove_import(**names)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError, which names the cycle


def raised_codes() -> Iterator[tuple[str, str]]:
    kinds = {name for name, kind in vars(errors).items() if is_error(kind)}
    for path in sorted(PACKAGE.rglob("*.py")):
        if "content" in path.relative_to(PACKAGE).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                code = node.args[0]
                if not isinstance(code, ast.Constant) or not isinstance(code.value, str):
                    continue
                if node.func.id in kinds:
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", code.value


def is_error(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, errors.TorchstoneError)


def test_every_error_that_is_raised_can_be_said_in_both_languages() -> None:
    found = list(raised_codes())
    assert ("bank.problem_broken" in {code for _, code in found}) is True
    unsaid = [
        (place, f"{code}.{part}", lang)
        for place, code in found
        for part in ("message", "hint")
        for lang in LANGS
        if f"{code}.{part}" not in catalogue(code.partition(".")[0], lang)
    ]
    assert unsaid == []


def test_the_version_stands_in_one_place() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", torchstone.__version__)
    assert PYPROJECT["project"]["dynamic"] == ["version"]
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "src/torchstone/__init__.py"


def test_the_lock_pins_every_dependency_and_one_torch() -> None:
    locked = {pin.name: pin.version for pin in read_lock((ROOT / "requirements.lock").read_text())}
    wanted = [*PYPROJECT["project"]["dependencies"]]
    for name, extra in PYPROJECT["project"]["optional-dependencies"].items():
        # A third of a gigabyte of NVIDIA's compiler, which no test needs.
        wanted += [] if name == "cuda" else extra
    names = [re.split(r"[^\w.-]", requirement)[0].lower() for requirement in wanted]
    assert [name for name in names if name not in locked] == []
    assert f"torch=={locked['torch']}" in PYPROJECT["project"]["dependencies"]


def test_every_dependency_has_a_page_among_the_decisions() -> None:
    pages = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("docs/decisions/*.md"))
    extras = PYPROJECT["project"]["optional-dependencies"]
    wanted = [*PYPROJECT["project"]["dependencies"], *(name for e in extras.values() for name in e)]
    names = [re.split(r"[^\w.-]", requirement)[0] for requirement in wanted]
    assert [name for name in names if f"`{name}`" not in pages] == []


@pytest.mark.full
def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "src/torchstone"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    # A tracked file may be gone from the working tree while it is being moved.
    wanted = {
        name.removeprefix("src/") for name in tracked.stdout.splitlines() if (ROOT / name).exists()
    }
    assert "torchstone/core/messages/zh.toml" in wanted
    assert wanted - packed == set()
    assert any(name.endswith("licenses/LICENSE") for name in packed)


def test_make_alone_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony, parts = re.findall(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)
    printed = subprocess.run(
        ["make"], cwd=ROOT, check=True, capture_output=True, text=True, env=os.environ
    ).stdout
    missing = [target for target in phony.split() if f"make {target} " not in printed]
    assert missing == []
    assert all(part.startswith("check-") for part in parts.split()), "they are parts of a target"
    assert "TORCHSTONE_PIP_ARGS" in printed
