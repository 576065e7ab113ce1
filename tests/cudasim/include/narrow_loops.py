"""C++ loops over everything that the two types of sixteen bits have in common."""

from tests.cudasim.include.narrow import BINARY, COMPARISONS, FUNCTIONS, OPERATORS, ROUNDINGS, Kind

C_INTEGERS = {
    "short": "short", "ushort": "unsigned short", "int": "int", "uint": "unsigned",
    "ll": "long long", "ull": "unsigned long long",
}  # fmt: skip


def loops(kind: Kind) -> str:
    """Return the C++ of all loops for one type."""
    return "\n".join([*_conversions(kind), *_arithmetic(), *_comparisons()]) + "\n"


def _conversions(kind: Kind) -> list[str]:
    N, T = kind.name, kind.T
    lines = [f'#include "{kind.header}"', f"typedef {T} T;", f"typedef {T}2 T2;"]
    lines += [
        f"EACH_1(widen, float, T, __{N}2float(a))",
        "EACH_1(widen_implicitly, float, T, a)",
        "EACH_1(from_float, T, float, a)",
        "EACH_1(from_double, T, double, a)",
        f"EACH_1(from_double_by_name, T, double, __double2{N}(a))",
        # Both steps in one expression, so that the compiler may join them.
        f"EACH_2(through, float, float, float, float(T(a * b)) - __{N}2float(T(a)))",
        f"EACH_1(bits, unsigned short, T, __{N}_as_ushort(__ushort_as_{N}("
        f"(unsigned short)__{N}_as_short(a))))",
        "EACH_3(hfma, T, T, T, T, __hfma(a, b, c))",
        "EACH_3(hfma_relu, T, T, T, T, __hfma_relu(a, b, c))",
        "EACH_3(hfma_sat, T, T, T, T, __hfma_sat(a, b, c))",
        "EACH_3(hfma2, T2, T2, T2, T2, __hfma2(a, b, c))",
        "EACH_3(hcmadd, T2, T2, T2, T2, __hcmadd(a, b, c))",
        "EACH_1(neg, T, T, -a)",
        "EACH_1(habs, T, T, __habs(a))",
        "EACH_1(truth, bool, T, a ? true : false)",
        "EACH_1(nan_kind, bool, T, __hisnan(a))",
        "EACH_1(inf_kind, int, T, __hisinf(a))",
        f"EACH_1(char_rz, signed char, T, __{N}2char_rz(a))",
        f"EACH_1(uchar_rz, unsigned char, T, __{N}2uchar_rz(a))",
        f"EACH_2(pair, T2, T, T, __lowhigh2highlow(__halves2{N}2(a, b)))",
        f"EACH_2(lows, T2, T2, T2, __lows2{N}2(a, b))",
        f"EACH_2(highs, T2, T2, T2, __highs2{N}2(a, b))",
        f"EACH_1(both, T2, T, __{N}2{N}2(a))",
        f"EACH_1(low_both, T2, T2, __low2{N}2(a))",
        f"EACH_1(high_both, T2, T2, make_{N}2(__high2{N}(a), __high2{N}(a)))",
        f"EACH_1(floats, float2, T2, __{N}22float2(a))",
        f"EACH_1(from_floats, T2, float2, __floats2{N}2_rn(a.x, a.y))",
        f"EACH_1(from_float2, T2, float2, __float22{N}2_rn(a))",
        f"EACH_1(from_one, T2, float, __float2{N}2_rn(a))",
        "EACH_1(low_float, float, T2, __low2float(a) - 2 * __high2float(a))",
        "EACH_1(counted, T, T, [](T x) { T y = x++; ++x; --x; return x - y; }(a))",
    ]
    for mode in ROUNDINGS:
        lines.append(f"EACH_1(float_{mode}, T, float, __float2{N}_{mode}(a))")
        for name, integer in C_INTEGERS.items():
            lines.append(f"EACH_1({name}_{mode}, T, {integer}, __{name}2{N}_{mode}(a))")
            lines.append(f"EACH_1(to_{name}_{mode}, {integer}, T, __{N}2{name}_{mode}(a))")
    for name, integer in C_INTEGERS.items():
        lines.append(f"EACH_1(from_{name}, T, {integer}, a)")
        lines.append(f"EACH_1(as_{name}, {integer}, T, a)")
    return lines


def _arithmetic() -> list[str]:
    lines = []
    for name, sign in zip(BINARY, "+-*/", strict=True):
        lines.append(f"EACH_2({name}, T, T, T, __{name}(a, b))")
        lines.append(f"EACH_2({name}_operator, T, T, T, a {sign} b)")
        lines.append(f"EACH_2({name}_2, T2, T2, T2, a {sign} b)")
        if name != "hdiv":
            lines.append(f"EACH_2({name}_sat, T, T, T, __{name}_sat(a, b))")
    for name in ("hmax", "hmin", "hmax_nan", "hmin_nan"):
        lines.append(f"EACH_2({name}, T, T, T, __{name}(a, b))")
    for name in FUNCTIONS:
        lines.append(f"EACH_1(h{name}, T, T, h{name}(a))")
        lines.append(f"EACH_1(h2{name}, T2, T2, h2{name}(a))")
    return lines


def _comparisons() -> list[str]:
    lines = []
    for name in COMPARISONS:
        for full in (name, name + "u"):
            lines.append(f"EACH_2(h{full}, bool, T, T, __h{full}(a, b))")
            lines.append(f"EACH_2(h{full}2, T2, T2, T2, __h{full}2(a, b))")
            lines.append(f"EACH_2(hb{full}2, bool, T2, T2, __hb{full}2(a, b))")
            lines.append(f"EACH_2(h{full}2_mask, unsigned, T2, T2, __h{full}2_mask(a, b))")
    for full, sign in OPERATORS.items():
        lines.append(f"EACH_2({full}_operator, bool, T, T, a {sign} b)")
    return lines
