"""Write the names that the editor completes: those of torch and of CUDA, with their signatures.

The names of torch come from the installed version, which is the pinned one; those of CUDA from the
headers of cudasim, so that only what the judge understands is suggested. A section starts with a
line ``@path``; each further line is a name and what follows it: its parameters, or its type.

Usage: ``python tools/completion_names.py [--check]``
"""

import importlib
import inspect
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import torch

from torchstone.cudasim.toolchain import INCLUDE

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "frontend/src/lib/editor/names"
MAX_GZIP_BYTES = 40_000
MAX_SIGNATURE = 160

# In the order of the file; what has the same path as a module is that module.
MODULES = (
    *("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils"),
    *("torch.autograd", "torch.autograd.functional", "torch.func", "torch.linalg", "torch.optim"),
    *("torch.library", "torch.cuda", "torch.distributed", "torch.utils.checkpoint"),
    *("torch.fx", "torch.profiler", "torch.amp", "torch.fft", "torch.special"),
)
CLASSES = ("torch.Tensor", "torch.nn.Module", "torch.autograd.Function", "torch.Generator")
# Reading one of these warns; and classes that are used although they say nothing of themselves.
DEPRECATED = {"reduce_op"}
SILENT = {"Tensor", "Size", "Generator", "Stream", "Event", "Function", "Module", "Parameter"}
CUDA_HEADERS = (
    *("cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "mma.h", "math_constants.h"),
    *("cooperative_groups.h", "cooperative_groups/reduce.h", "cuda_pipeline.h"),
)
# What the rewriter of cudasim handles before any header; and what the language itself adds.
CUDA_WORDS = {
    "__global__": ": kernel, launched from the host",
    "__device__": ": function on the device, or variable in global memory",
    "__host__": ": function on the host",
    "__shared__": ": variable of a block",
    "__constant__": ": variable in constant memory",
    "__restrict__": ": pointer without an alias",
    "__forceinline__": ": function that is always inlined",
    "__launch_bounds__": "(max_threads_per_block, min_blocks_per_multiprocessor)",
    "__syncthreads": "() -> void",
    "__syncthreads_and": "(int predicate) -> int",
    "__syncthreads_or": "(int predicate) -> int",
    "__syncthreads_count": "(int predicate) -> int",
    "printf": "(const char* format, ...) -> int",
    "half": ": type",
    "threadIdx": ": uint3",
    "blockIdx": ": uint3",
    "blockDim": ": dim3",
    "gridDim": ": dim3",
    "warpSize": ": int",
}
FUNCTION = (
    r"(?P<type>[\w:<>,*& ]+?[ *&])(?P<name>\w+) ?\((?P<given>.*?)\)"
    r"(?: const)?(?: noexcept)?(?: -> .*)?$"
)
# The functions of C that CUDA has as well, for float and for double.
MATH_1 = (
    *("exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "cbrt"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"),
    *(
        "atanh",
        "erf",
        "erfc",
        "tgamma",
        "lgamma",
        "fabs",
        "floor",
        "ceil",
        "trunc",
        "round",
        "rint",
    ),
)
MATH_2 = ("pow", "fmin", "fmax", "fmod", "atan2", "hypot", "copysign", "ldexp", "remainder")
NAMESPACES = {"": "", "cooperative_groups": "cooperative_groups", "nvcuda::wmma": "nvcuda::wmma"}


def torch_names() -> str:
    """Return the names of torch."""
    lines = []
    for path in MODULES:
        module = importlib.import_module(path)
        lines += [f"@{path}", *_members(module, path)]
    for path in CLASSES:
        parent, _, name = path.rpartition(".")
        lines += [f"@{path}", *_members(getattr(importlib.import_module(parent), name), path)]
    return "\n".join(lines) + "\n"


def _members(owner: ModuleType | type, path: str) -> Iterator[str]:
    for name in sorted(name for name in dir(owner) if not name.startswith("_")):
        if name in DEPRECATED or name.endswith("Storage"):
            continue
        value = inspect.getattr_static(owner, name)
        if isinstance(value, staticmethod | classmethod):
            value = value.__func__
        if _is_of_torch(value, path):
            tail = _tail(owner, name, value)
            # What is only a class inside of torch says nothing of itself.
            if not (name[0].isupper() and tail == "(...)" and name not in SILENT):
                yield name + tail


def _is_of_torch(value: object, path: str) -> bool:
    """Return whether a value belongs to torch, and is not a name that a module imported."""
    if isinstance(value, ModuleType):
        return value.__name__.rpartition(".")[0] == path
    module = getattr(value, "__module__", None) or "torch"
    return isinstance(module, str) and module.split(".")[0] in {"torch", "builtins"}


def _tail(owner: ModuleType | type, name: str, value: object) -> str:
    if isinstance(value, ModuleType):
        return ": module"
    if not callable(value):
        is_field = isinstance(value, property) or type(value).__name__ == "getset_descriptor"
        return ": attribute" if is_field else f": {type(value).__name__}"
    documented = _documented(name, getattr(value, "__doc__", None))
    if documented is None and name.endswith("_"):
        # The variant in place has the parameters of the other one.
        other = inspect.getattr_static(owner, name[:-1], None)
        documented = _documented(name[:-1], getattr(other, "__doc__", None))
    signature = documented or _inspected(value) or _operator(name, owner) or "(...)"
    return signature if len(signature) <= MAX_SIGNATURE else signature[: MAX_SIGNATURE - 1] + "…"


def _documented(name: str, words: object) -> str | None:
    """Read the signature that begins a docstring."""
    if not isinstance(words, str):
        return None
    found = re.match(rf"\s*(?:\w+\.)*{re.escape(name)}(?=\()", words)
    if found is None:
        return None
    depth = 0
    for at, letter in enumerate(words[found.end() :], start=found.end()):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            result = re.match(r"\s*->\s*([\w.]+(?:\[[^\n]*\])?)", words[at + 1 :])
            given = " ".join(words[found.end() : at + 1].split())
            if given == "(...)":
                return None
            return given + (f" -> {result[1]}" if result else "")
    return None


def _inspected(value: object) -> str | None:
    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    parts, is_keyword = [], False
    for each in signature.parameters.values():
        if each.name in {"self", "cls"} or each.name.startswith("_"):
            continue
        if each.kind is each.KEYWORD_ONLY and not is_keyword:
            parts.append("*")
        is_keyword |= each.kind in {each.KEYWORD_ONLY, each.VAR_POSITIONAL}
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(each.kind.name, "")
        default = "" if each.default is each.empty else f"={_plain(each.default)}"
        parts.append(f"{stars}{each.name}{default}")
    return f"({', '.join(parts)})"


def _operator(name: str, owner: ModuleType | type) -> str | None:
    """Read the signature of the operator of this name."""
    schemas = torch._C._jit_get_schemas_for_operator(f"aten::{name}")
    if not schemas:
        return None
    first = {"self": "input"} if isinstance(owner, ModuleType) else {"self": ""}
    parts = [
        first.get(each.name, each.name)
        + (f"={each.default_value}" if each.has_default_value() else "")
        for each in schemas[0].arguments
        if not each.is_out and first.get(each.name, each.name)
    ]
    return f"({', '.join(parts)})"


def _plain(default: object) -> str:
    words = repr(default)
    return "..." if " at 0x" in words or "<" in words else words


def cuda_names() -> str:
    """Return the names of CUDA that cudasim has."""
    found: dict[str, dict[str, str]] = {path: {} for path in NAMESPACES.values()}
    found[""] |= CUDA_WORDS
    for path, name, tail in _declarations(_preprocessed()):
        found[path].setdefault(name, tail)
    for name in MATH_1 + MATH_2:
        for suffix, kind in (("f", "float"), ("", "double")):
            given = f"{kind} x" if name in MATH_1 else f"{kind} x, {kind} y"
            found[""].setdefault(name + suffix, f"({given}) -> {kind}")
    enumerators = r"^\s*(cuda(?:Success|Error|Memcpy|Stream|Event|Host|Mem)\w*)\b"
    for name in re.findall(enumerators, (INCLUDE / "cusim/runtime_types.h").read_text(), re.M):
        found[""].setdefault(name, ": constant")
    for name in re.findall(
        r"^#define (CUDART_\w+)", (INCLUDE / "math_constants.h").read_text(), re.M
    ):
        found[""].setdefault(name, ": constant")
    lines = []
    for path, names in found.items():
        lines += [f"@{path}", *(name + names[name] for name in sorted(names))]
    return "\n".join(lines) + "\n"


def _preprocessed() -> str:
    """Return what the headers of cudasim declare, without what they include from elsewhere."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "names.cpp"
        source.write_text("".join(f"#include <{each}>\n" for each in CUDA_HEADERS))
        command = ["g++", "-E", "-std=c++17", f"-I{INCLUDE}", str(source)]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kept, is_own = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]+)"', line)
        if marker:
            is_own = marker[1].startswith(str(INCLUDE))
        elif is_own:
            kept.append(line)
    return "\n".join(kept)


def _declarations(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the namespace, the name and the signature of all that a program can use."""
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", text)
    stack: list[str | None] = []
    begin = 0
    for match in re.finditer(r"[{};]", text):
        head = " ".join(text[begin : match.start()].split())
        begin = match.end()
        is_outside = None not in stack
        path = "::".join(each for each in stack if each)
        if is_outside and match[0] != "}" and path in NAMESPACES:
            yield from ((NAMESPACES[path], *each) for each in _declared(head))
        if match[0] == "{":
            opened = re.fullmatch(r"(?:inline )?namespace ?([\w:]*)", head)
            stack.append("" if head.startswith('extern "C"') else opened[1] if opened else None)
        elif match[0] == "}" and stack:
            stack.pop()


def _declared(head: str) -> Iterator[tuple[str, str]]:
    head = re.sub(r"^template ?<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*> ?", "", head)
    kind = re.match(
        r"(?:typedef )?(?:struct|class|enum class|enum|using) (?:alignas ?\(\w+\) )?(\w+)", head
    )
    function = re.match(FUNCTION, head)
    if kind and re.match(r"[a-z_]", kind[1]) and not kind[1].startswith("cusim"):
        yield kind[1], ": type"
    elif (
        function
        and "operator" not in head
        and "typedef" not in head
        and not function["name"].startswith(("cusim", "Cusim"))
    ):
        words = re.sub(r",? ?int site = __builtin_LINE ?\(\)", "", function["given"])
        words = re.sub(r"typename CusimSame<(\w+)>::type", r"\1", words)
        result = re.sub(
            r"\b(inline|static|constexpr|extern|friend|typename)\b|cusim::", "", function["type"]
        )
        tail = f"({words.strip()}) -> {' '.join(result.split())}"
        yield function["name"], tail[:MAX_SIGNATURE]


FILES = {"torch.ts": torch_names, "cuda.ts": cuda_names}


def module_of(names: str) -> str:
    """Return the TypeScript module that holds the names."""
    escaped = names.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
    note = "/** Written by tools/completion_names.py; do not change it by hand. */\n\n"
    return f"{note}export default `{escaped}`;\n"


def main() -> int:
    """Write the files; with ``--check`` only report those that are out of date."""
    stale = 0
    for name, make in FILES.items():
        path, text = FOLDER / name, module_of(make())
        if "--check" in sys.argv[1:]:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                print(f"{path.relative_to(ROOT)} is out of date", file=sys.stderr)
                stale = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())
