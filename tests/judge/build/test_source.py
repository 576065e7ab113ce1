"""What a source may not hold is refused by its name and line; all else is let through."""

import pytest

from torchstone.judge.build.source import CUDA_RULES, Refusal, refuse_source

pytestmark = pytest.mark.pure


def refused(text: str) -> Refusal:
    found = refuse_source(text, CUDA_RULES)
    assert found is not None, text
    return found


@pytest.mark.parametrize(
    ("line", "key", "word"),
    [
        ("#include </etc/passwd>", "include", "</etc/passwd>"),
        ('#include "cuda_runtime.h"', "include", '"cuda_runtime.h"'),
        ("#include <fstream>", "include", "<fstream>"),
        ("#include NAME", "include", "NAME"),
        ("%:include <unistd.h>", "include", "<unistd.h>"),
        ("#incl\\\nude <unistd.h>", "include", "<unistd.h>"),
        ("#include_next <cmath>", "directive", "include_next"),
        ("#import <cmath>", "directive", "import"),
        ("#line 5", "directive", "line"),
        ("#ident \"x\"", "directive", "ident"),
        ("#pragma GCC optimize 3", "pragma", "GCC"),
        ("#pragma omp parallel", "pragma", "omp"),
        ("#define __global__", "macro", "__global__"),
        ("#define threadIdx other", "macro", "threadIdx"),
        ("#undef atomicAdd", "macro", "atomicAdd"),
        ("#define cudaMalloc(x) 0", "macro", "cudaMalloc"),
        ("#define PASTE(a, b) a ## b", "pasting", "##"),
        ("#define PASTE(a, b) a %:%: b", "pasting", "##"),
        ('void f() { asm("syscall"); }', "word", "asm"),
        ('void f() { __asm__ volatile("" ::); }', "word", "__asm__"),
        ("void f() __attribute__((constructor));", "word", "__attribute__"),
        ("void f() __attri\\\nbute__((constructor));", "word", "__attribute__"),
        ("[[gnu::constructor]] void f();", "attribute", "[[gnu"),
        ("<:<:gnu::constructor:>:> void f();", "attribute", "[[gnu"),
        ("int f() { return __builtin_trap(), 1; }", "word", "__builtin_trap"),
        ("thread_local int x;", "word", "thread_local"),
        ('_Pragma("GCC optimize(3)")', "word", "_Pragma"),
        ("extern \"C\" void __tsan_read4(void*) {}", "word", "__tsan_read4"),
        ("extern \"C\" const char* cusim_findings();", "word", "cusim_findings"),
        ("#ifdef CUSIM_CHECK\n#endif", "word", "CUSIM_CHECK"),
        ("#if __has_include(</etc/shadow>)\n#endif", "word", "__has_include"),
        ("[[maybe_unused, gnu::constructor]] static void f();", "attribute", "[[gnu"),
        ("[[using gnu: constructor]] void f();", "attribute", "[[using"),
        ("[[]] void f();", "attribute", "[["),
        ("#define L [", "brackets", "L"),
        ("#define RP )", "brackets", "RP"),
        ("#define SHUT(x) x ) (", "brackets", "SHUT"),
        ('#define E(include) const char* s = #include; asm("syscall");', "word", "asm"),
        ("#define X ' /*", "quote", "' /*"),
        ("int $x;", "letters", "$x"),
        ("int größe;", "letters", "größe"),
    ],
)  # fmt: skip
def test_it_is_refused_by_name(line: str, key: str, word: str) -> None:
    found = refused(f"// one line before\n{line}\n")
    assert (found.code, found.key, found.word) == ("CE", key, word)
    assert found.line == 2


@pytest.mark.parametrize(
    "call",
    ["cudaMalloc(&p, 4)", "cudaMemcpy(a, b, 4, k)", "cudaStreamCreate(&s)", "cudaGraphLaunch(g, s)",
     "cudaMemcpyAsync(a, b, 4, cudaMemcpyDeviceToHost, s)", "cudaSetDevice(0)"],
)  # fmt: skip
def test_a_call_that_is_out_of_place_is_forbidden(call: str) -> None:
    found = refused(f"void f() {{ {call}; }}")
    assert (found.code, found.key) == ("FORBIDDEN_OP", "cuda_call")
    assert found.word in call


@pytest.mark.parametrize(
    "text",
    [
        "#include <cuda_runtime.h>\n#include <cmath> // a remark\n",
        "# include  <cooperative_groups/reduce.h>",
        "#pragma unroll 4\n#pragma once\n#pragma nv_diag_suppress 177\n",
        "// asm __attribute__ ##\n/* #include <fstream> */ const char* s = \"asm(cusim_)\";",
        "#define TILE 16\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n#undef TILE\n",
        "#if defined(USE_FLOAT4) && TILE > 8\n#else\n#endif\n",
        "[[nodiscard]] __device__ int f([[maybe_unused]] int x) { return 0; }",
        "__device__ float read(const float* at, int select) { return at[select]; }",
        'extern "C" cudaError_t go(float* x, cudaStream_t stream) {\n'
        "    if (!x) return cudaErrorInvalidValue;\n"
        "    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);\n"
        "    cudaMemcpyAsync(x, x, 4, cudaMemcpyDeviceToDevice, stream);\n"
        "    return cudaGetLastError() == cudaSuccess ? cudaSuccess : cudaPeekAtLastError();\n}",
        "int x = a[b[1]];",
        "\ufeffint module = 1, import = 2;\r\nint y;\r\n",
        "#define AT(i, j) tile[(i)][(j)]\n#define KERNEL(...) foo(__VA_ARGS__)\n",
        'const char* s = R"x(asm " /* )x"; char quote = \'"\';',
        "[[nodiscard, maybe_unused]] int f();",
    ],
)  # fmt: skip
def test_ordinary_sources_pass(text: str) -> None:
    assert refuse_source(text, CUDA_RULES) is None


def test_the_first_refusal_is_told() -> None:
    found = refused("int a;\nthread_local int b;\n#include <fstream>\n")
    assert (found.line, found.word) == (2, "thread_local")


@pytest.mark.parametrize("odd", ["\0", "\r", "\ud800"])
def test_a_character_that_is_none_is_refused_with_its_line(odd: str) -> None:
    found = refused(f"int a;\n\nint {odd} b;")
    assert (found.code, found.key) == ("CE", "character")
    assert (found.line, found.column, found.word) == (3, 1, f"U+{ord(odd):04X}")


@pytest.mark.parametrize(
    "text",
    [
        'const char* s = R"a"( /* )a"";\n#include </etc/passwd>\n// */ );\n',
        "#if 0\ndon't /*\n#endif\n#include </etc/passwd>\n#if 0\n*/\n#endif\n",
        "// x\r#include </etc/passwd>\n",
    ],
)
def test_a_comment_that_is_none_hides_nothing(text: str) -> None:
    assert refuse_source(text, CUDA_RULES) is not None
