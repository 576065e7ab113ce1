"""Symbol check of compiled submissions: undefined and forbidden symbols.

The compiler writes the object, but the submission determines its content, so this module checks
every offset and refuses an object that it cannot read.

Source:
    System V Application Binary Interface, chapter 4, "Object Files" (ELF-64).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection
from dataclasses import dataclass

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_MAGIC = b"\x7fELF\x02\x01\x01"
# File type -> type of the section with its symbols: a relocatable object, a shared library.
_TABLES = {1: 2, 3: 11}
_UNDEFINED = 0
_MOST_SYMBOLS = 100_000
_MOST_NAME = 4096
_LOCAL, _GLOBAL, _WEAK, _UNIQUE = 0, 1, 2, 10


class BadObject(ValueError):
    """Raised when an object file is not valid or not complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbols:
    """Global symbols of an object.

    Attributes:
        undefined: The symbols that another object must define.
        defined: The symbols that it defines, including weak ones.
    """

    undefined: frozenset[str]
    defined: frozenset[str]


def read_symbols(data: bytes) -> Symbols:
    """Read the global symbols of a relocatable object (``g++ -c``) or of a shared library.

    Raises:
        BadObject: It is not a 64-bit ELF object, or an offset in it is out of range.
    """
    if len(data) < _HEADER.size or not data.startswith(_MAGIC):
        raise BadObject("not a 64-bit little-endian ELF object")
    header = _HEADER.unpack_from(data)
    kind, offset, size_each, count = header[1], header[6], header[11], header[12]
    if kind not in _TABLES or size_each != _SECTION.size:
        raise BadObject("neither a relocatable object nor a shared library")
    sections = [
        _SECTION.unpack(_cut(data, offset + number * _SECTION.size, _SECTION.size))
        for number in range(count)
    ]
    tables = [section for section in sections if section[1] == _TABLES[kind]]
    if len(tables) != 1:
        raise BadObject(f"{len(tables)} symbol tables")
    (table,) = tables
    if table[6] >= len(sections):
        raise BadObject("a symbol table without names")
    names = sections[table[6]]
    symbols = _cut(data, table[4], table[5])
    if len(symbols) % _SYMBOL.size or len(symbols) > _MOST_SYMBOLS * _SYMBOL.size:
        raise BadObject("a symbol table of an invalid size")
    return _read_table(symbols, _cut(data, names[4], names[5]))


def _read_table(symbols: bytes, names: bytes) -> Symbols:
    undefined: set[str] = set()
    defined: set[str] = set()
    for name, info, _, section, _, _ in _SYMBOL.iter_unpack(symbols):
        if info >> 4 == _LOCAL:
            continue
        if info >> 4 not in (_GLOBAL, _WEAK, _UNIQUE):
            raise BadObject(f"a symbol of binding {info >> 4}")
        end = names.find(b"\0", name)
        if end < 0 or end - name > _MOST_NAME:
            raise BadObject("a symbol whose name does not end")
        (undefined if section == _UNDEFINED else defined).add(names[name:end].decode("latin-1"))
    return Symbols(undefined=frozenset(undefined - {""}), defined=frozenset(defined - {""}))


def _cut(data: bytes, offset: int, size: int) -> bytes:
    if offset + size > len(data):
        raise BadObject("an offset points beyond the end of the object")
    return data[offset : offset + size]


# Symbols that the compiler itself and the functions of <cmath> use. Every other function that a
# kernel may call belongs to the simulator.
_MATHEMATICS = (
    """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2
    expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma lgamma_r
    llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow
    remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc y0 y1
    yn"""
).split()
_OF_COMPILER = (
    """memcpy memmove memset memcmp strlen printf puts putchar malloc free fesetround fegetround
    _GLOBAL_OFFSET_TABLE_ __stack_chk_fail __dso_handle __tls_get_addr __divti3 __modti3 __udivti3
    __umodti3 __popcountdi2 __extendhfsf2 __truncsfhf2 __truncdfhf2 __truncsfbf2 __truncdfbf2
    __printf_chk __memcpy_chk __memmove_chk __memset_chk __cxa_atexit __cxa_pure_virtual
    __cxa_guard_acquire __cxa_guard_release __cxa_guard_abort __cxa_begin_catch __cxa_end_catch
    __cxa_rethrow __cxa_throw_bad_array_new_length __gxx_personality_v0 _Unwind_Resume
    _ZSt9terminatev _Znwm _Znam _ZdlPv _ZdlPvm _ZdaPv _ZdaPvm
    _ZTVN10__cxxabiv117__class_type_infoE _ZTVN10__cxxabiv120__si_class_type_infoE
    _ZTVN10__cxxabiv121__vmi_class_type_infoE"""
).split()
ALLOWED = frozenset([name + suffix for name in _MATHEMATICS for suffix in ("", "f")] + _OF_COMPILER)
# The simulator's functions that its headers call, and those that the check build calls.
_SIMULATOR = re.compile(
    r"cusim_(?!findings|counters|clear|configure|forget|malloc|entry|run|report|register_host)\w+|"
    r"threadIdx|blockIdx|blockDim|gridDim|"
    r"__tsan_(?:unaligned_)?(?:volatile_)?(?:read|write)(?:1|2|4|8|16|_range)(?:_pc)?|"
    r"__tsan_(?:memcpy|memmove|memset|init|func_entry|func_exit|vptr_update|vptr_read)|"
    r"__tsan_atomic(?:8|16|32|64|128)_\w+|__tsan_atomic_(?:thread|signal)_fence|"
    r"__sanitizer_cov_trace_pc"
)
# The headers implement these calls with other functions.
_MADE_OF = {"cudaMalloc": "cusim_malloc", "cudaMallocAsync": "cusim_malloc"}
# Definitions that would replace a function of another object.
_TAKEN = re.compile(r"__wrap_\w+|__real_\w+|_Z(?:n[wa]|d[la])\w*|cuda\w+|main|_init|_fini|_start")


def find_forbidden(symbols: Symbols, calls: Collection[str], entries: Collection[str]) -> list[str]:
    """Return the symbols that a submission may not use or define, sorted by name.

    Args:
        symbols: The symbols of its object.
        calls: The functions ``cuda...`` that the problem permits.
        entries: The functions of the problem that it may call.
    """
    made_of = {_MADE_OF[call] for call in calls if call in _MADE_OF}
    known = ALLOWED | frozenset(calls) | frozenset(entries) | made_of
    asked = [name for name in symbols.undefined if name not in known and not _is_ours(name)]
    claimed = [name for name in symbols.defined if _is_taken(name, known)]
    return sorted({*asked, *claimed})


# Symbols that the headers of torch's stable ABI use: its own functions, and operators that allocate
# and move memory. Operators that compute are called through the dispatcher, which enforces bans.
_STABLE_ABI = re.compile(
    r"torch_\w+|"
    r"aoti_torch_(?!(?:cpu|cuda|mps|xpu|meta|mkldnn|mtia|aten|proxy)_|_\w)\w+(?<!_out)|"
    r"aoti_torch_aten_(?:amax|clone|contiguous|copy_|empty\w*|fill_\w*|flatten|full|full_like|narrow|"
    r"new_empty|new_zeros|pad|reshape|select|sum_dim_IntList|to_\w+|transpose_int|view\w*|zero_)|"
    r"_ZN?K?R?K?O?S[tosi]\w*|_ZT[ISTV]N?S[tosi]\w*|_ZN9__gnu_cxx\w+|_ZTVN10__cxxabiv1\w+|"
    r"__cxa_\w+|_Unwind_Resume|__libc_single_threaded|__dynamic_cast|"
    r"str(?:cmp|ncmp|len|chr|rchr|str|toul|tol|toull|toll|tod|tof)|mem(?:chr|cmp|cpy|move|set)|"
    r"__errno_location|abs|labs|llabs|qsort|bcmp|__tls_init|__once_proxy|nanf?|\w*round\w*f?"
)
# Functions of the standard library that read files, start threads, or end the process.
_FAR = re.compile(
    r"_Z.*(?:filebuf|[io]?fstream|filesystem|__basic_file|thread|random_device|condition_variable|"
    r"future|async|quick_exit|set_terminate|get_terminate|unexpected).*"
)
# c10 is excluded, because headers that every extension includes have inline functions of c10.
_OF_TORCH = re.compile(r"(?:aoti_)?torch_\w+|_ZN?K?(?:2at|5torch3jit)\w+")


def find_forbidden_of_extension(symbols: Symbols) -> list[str]:
    """Return the symbols that a torch extension may not use or define, sorted by name."""
    asked = [
        name
        for name in symbols.undefined
        if name not in ALLOWED and not (_STABLE_ABI.fullmatch(name) and not _FAR.fullmatch(name))
    ]
    claimed = [
        name
        for name in symbols.defined
        if name in ALLOWED or _TAKEN.fullmatch(name) or _OF_TORCH.fullmatch(name)
    ]
    return sorted({*asked, *claimed})


# Operators called without the dispatcher, which enforces the bans.
_PAST_DISPATCHER = re.compile(r"aoti_torch_(?:cpu|cuda)_\w+|_ZN2at(?:3cpu|4cuda|6native|4_ops)\w+")


def find_past_dispatcher(symbols: Symbols) -> list[str]:
    """Return the symbols through which a library would call an operator without the dispatcher."""
    return sorted(name for name in symbols.undefined if _PAST_DISPATCHER.fullmatch(name))


def _is_taken(name: str, known: Collection[str]) -> bool:
    """Return whether a definition would replace a library function."""
    return name in known or _is_ours(name) or _TAKEN.fullmatch(name) is not None


def _is_ours(name: str) -> bool:
    return _SIMULATOR.fullmatch(name) is not None
