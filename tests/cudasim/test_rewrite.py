import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from torchstone.cudasim.rewrite import CudaSyntaxError, rewrite, rewrite_tree

pytestmark = pytest.mark.pure

CALM = st.sampled_from(
    [
        *("int", "f", "x", "(", ")", "{", "}", "[", "]", "<", ">", ">>", "::", ";", ",", "=", "&"),
        *("template", "class", "namespace", "struct", "operator", "1'000", '"a<b"', "'c'", "\\\n"),
        *("// c\n", "/* <<< \n */", "\n", "\r\n", " ", "#if 1\n", "#else\n", "#endif\n", "+", ":"),
        *("#define A(x) x\n", 'R"(\n<<<)"', "return", "static", "alignas(8)", "é", "..."),
    ]
)
WILD = st.one_of(
    CALM,
    st.sampled_from(
        [
            *("k<<<1, 2>>>(x);", "<<<", ">>>", "__shared__ ", "__shared__ int a[2];", "extern "),
            *("__global__ void k(int* x) {", "__device__ int d;", "__constant__ ", "[=] {", "a[1]"),
            *("#define L(k) k<<<1, 2>>>()\n", "template <int N> ", "k<N><<<\n1\n>>>\n(\n)", "asm"),
            *(
                "__shfl(1)",
                "#include <cub/cub.cuh>\n",
                "__global__",
                "##",
                "<",
                "::k",
                "__device__",
            ),
        ]
    ),
)


def rewritten(source: str) -> str:
    return rewrite(source).text


@given(st.lists(CALM, max_size=60).map(" ".join))
def test_text_without_cuda_stays_as_it_is(source):
    assert rewritten(source) == source


@given(st.lists(WILD, max_size=40).map(" ".join))
@example("__global__ void k() {} \\\n")
@example("k<a\\\nb><<<1,2>>>()")
def test_lines_stay_where_they_are_whatever_comes(source):
    try:
        lines = rewrite(source, instantiate=["k<1>"]).text.count("\n")
    except CudaSyntaxError as caught:
        error = caught
    else:
        assert lines == source.count("\n")
        return
    assert 1 <= error.line <= source.count("\n") + 1
    assert str(error).startswith(f"kernel.cu:{error.line}:{error.column}: error: ")


CALL = "static_cast<void>(::cusim::Configuration(CUSIM_NAME(%s), %s), %s(%s));"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{ k<<<1, n>>2>>>(p); }", CALL % ("k", "1, n>>2", "k", "p")),
        ("{ k<<<1, 2>>>(); }", CALL % ("k", "1, 2", "k", "")),
        ("{ k<<<1, 2>>>(p, NULL, {}); }", CALL % ("k", "1, 2", "k", "p, NULL, {}")),
        ("{ k<A<B>><<<1, 2>>>(p); }", CALL % ("k<A<B>>", "1, 2", "k<A<B>>", "p")),
        ("{ table[i]<<<1, 2>>>(p); }", CALL % ("table[i]", "1, 2", "table[i]", "p")),
        ("{ this->k<<<1, 2>>>(p); }", CALL % ("this->k", "1, 2", "this->k", "p")),
        ("{ if (a) (*f)<<<1, 2>>>(p); }", "if (a) " + CALL % ("(*f)", "1, 2", "(*f)", "p")),
        ("{ return ::n::k<<<1, 2>>>(p); }", "return " + CALL % ("::n::k", "1, 2", "::n::k", "p")),
        (
            "{ a < b; k<1 << 2><<<1, 2>>>(p); }",
            "a < b; " + CALL % ("k<1 << 2>", "  1, 2", "k<1 << 2>", "p"),
        ),
        ("{ k<(a > b)><<<1, (c >> 1) > 2 ? 3 : 4>>>(p); }", "1, (c >> 1) > 2 ? 3 : 4), k<(a > b)>"),
        ("{ k<<<1, N<4>>>>(p); }", "1, N<4>), k(p));"),
        ("{ k << <1, 2 >> >(p); }", "::cusim::Configuration(CUSIM_NAME(k),   1, 2), k  (p));"),
        ("{ a ? k<<<1, 2>>>(p) : l<<<1, 2>>>(p); }", "a ? static_cast<void>(::cusim::Conf"),
    ],
)
def test_a_launch_becomes_a_call_of_the_kernel(source, expected):
    assert expected in rewritten("void h() " + source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#define L(k, ...) k<<<1, 2>>>(__VA_ARGS__)\n", "1, 2), k(__VA_ARGS__))"),
        ("#define L(k, a) k<<<1, 2>>>a\n", "1, 2), k a)"),
        ("#define L(n, T) n##_k<T><<<1, 2>>>()\n", "CUSIM_NAME(n##_k<T>), 1, 2), n##_k<T>())"),
        (
            "#define SHAPE(g, b) <<< g, b >>>\nvoid h() { k SHAPE(1, 2) (p); }",
            "Configuration(CUSIM_NAME(k),  SHAPE(1, 2)), k (p));",
        ),
        ("#define SHAPE <<<1, 2>>>\nvoid h() { k<int> SHAPE(p); }", "),  SHAPE), k<int>(p));"),
        ("#define SHAPE(g, b) <<< g, b >>>\n", "#define SHAPE(g, b)  g, b \n"),
        (
            "#define SHAPE(g) <<<g, 2>>>\n#define L(k, ...) k SHAPE(1)(__VA_ARGS__)\n",
            "SHAPE(1)), k(__VA_ARGS__))",
        ),
    ],
)
def test_a_launch_in_a_macro_becomes_a_call(source, expected):
    assert expected in rewritten(source)


UNREADABLE = "#define KERNEL(name, ...) __global__ void name(__VA_ARGS__)\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "void h() { k<<<1, 2>>>(p); }",
            "[=](auto&&... a_) { k(static_cast<decltype(a_)&&>(a_)...",
        ),
        ("void h() { table[i]<<<1, 2>>>(p); }", "CUSIM_NAME(table[i]), 1, 2).run([=](auto&&..."),
        ("#define L(k, a) k<<<1, 2>>>a\n", "[&](auto&&... p_) { ::cusim::Launch(CUSIM_NAME(k), "),
        ("__global__ void k(int) {} void h() { k<<<1, 2>>>(0); }", "CUSIM_NAME(k), 1, 2), k(0));"),
        ("__global__ void name(int) {} void h() { name<<<1, 2>>>(0); }", ").run([=](auto&&... a_)"),
    ],
)
def test_beside_a_kernel_that_cannot_be_read_only_those_that_can_are_called(source, expected):
    assert expected in rewritten(UNREADABLE + source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "{ __shared__ float t[2][3]; }",
            '{ typedef float t_t_[2][3]; static ::cusim::SharedSlot t_s_{"t", sizeof(t_t_), '
            "alignof(t_t_), 1}; t_t_& t = *static_cast<t_t_*>(::cusim::shared_variable(t_s_)); }",
        ),
        (
            "{ extern __shared__ T x[]; }",
            "{  typedef T x_t_[]; x_t_& x = *static_cast<x_t_*>(cusim_dynamic_shared()); }",
        ),
        (
            "{ static __shared__ int a, *b; }",
            "{  typedef int a_t_, *b_t_; static ::cusim::SharedSlot",
        ),
        ("{ const volatile __shared__ int a; }", "{ const volatile typedef int a_t_;"),
        (
            "{ __shared__ alignas(16) char a[3]; }",
            "struct a_a_ { a_t_ member; alignas(16) char m0; };",
        ),
        ("{ __align__(8) __shared__ A<b, c> a; }", '{"a", sizeof(a_t_), alignof(a_a_), 1}'),
        ("{ __shared__\nint\na\n[2]; }", '{"a", sizeof(a_t_), alignof(a_t_), 3}'),
    ],
)
def test_a_shared_variable_becomes_a_reference(source, expected):
    assert expected in rewritten(f"__device__ void k() {source}")


def test_a_macro_pastes_the_names_for_its_shared_variable():
    text = rewritten("#define S(T, n) __shared__ T n[4]\n")
    assert "typedef T n ## _t_[4]; static ::cusim::SharedSlot n ## _s_{CUSIM_NAME(n)," in text


@pytest.mark.parametrize(
    ("capture", "expected"),
    [
        ("[]", "[&t]"),
        ("[=]", "[=, &t]"),
        ("[a]", "[a, &t]"),
        ("[&]", "[&]"),
        ("[&, a]", "[&, a]"),
        ("[&t]", "[&t]"),
    ],
)
def test_a_lambda_refers_to_a_shared_variable_instead_of_copying_it(capture, expected):
    source = (
        "__global__ void k(int a) {{ __shared__ int t[2]; auto f = {}(int i) {{ return t[i]; }}; }}"
    )
    assert f"auto f = {expected}(int i)" in rewritten(source.format(capture))


def test_a_lambda_outside_the_scope_of_a_shared_variable_stays_as_it_is():
    source = "__global__ void k() { { __shared__ int t; } int t; auto f = [=] { return t; }; }"
    assert "[=] { return t; }" in rewritten(source)


def test_a_shared_variable_of_the_file_is_declared_in_each_device_function_that_uses_it():
    text = rewritten(
        "extern __shared__ float s[];\n__device__ void a() { s[0] = 1; }\n__device__ void b() {}\n"
        "void host() { int s; }\n__device__ void c(int* s) { s[0] = 1; }"
    ).split("\n")
    assert text[0] == " typedef float s_t_[];"
    assert text[1].startswith("__device__ void a() { [[maybe_unused]] s_t_& s = ")
    assert text[2:] == [
        "__device__ void b() {}",
        "void host() { int s; }",
        "__device__ void c(int* s) { s[0] = 1; }",
    ]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("__device__ int a, *b = &a, c[2] = {1, 2};", ["a", "b", "c"]),
        ("__constant__ float t[4];", ["t"]),
        ("static __device__ __managed__ A<int, 2> m;", ["m"]),
        ("__device__ float (*f)(int) = 0;", ["f"]),
        ("__device__ dim3 d(1, 2);", ["d"]),
        ("__device__ float f(int);", []),
        ("__device__ float f(int) { int a; return 1; }", []),
        ("extern __device__ int a;", []),
        ("struct S { static __device__ int a; };", []),
        ("__device__ V operator+(V a, V b);", []),
        ("#define C __constant__\nC int a;", ["a"]),
        ("namespace n { __device__ int a; }", ["a"]),
    ],
)
def test_device_variables_are_announced(source, names):
    text = rewritten(source)
    assert text.count("::cusim::Symbol ") == len(names)
    for name in names:
        assert f'(&{name})), sizeof({name}), "{name}", ::cusim::SymbolKind::' in text


def test_each_kind_of_device_variable_is_told_apart():
    text = rewritten("__device__ int a;\n__constant__ int b;\n__device__ __managed__ int c;").split(
        "\n"
    )
    kinds = [line.rpartition("SymbolKind::")[2] for line in text]
    assert kinds == ["device};", "constant};", "managed};"]


def test_kernels_are_listed_with_what_a_caller_needs():
    result = rewrite(
        "namespace n { namespace { template <int N> __global__ void __launch_bounds__(N * 2, 1)\n"
        'a(float* x,\n   int n = 3) {} } }\n__global__ void b();\nextern "C" __global__ void b() {}'
        "\n__device__ void c();\nint main() {}\n"
    )
    first, second = result.kernels
    assert (first.name, first.is_template, first.line) == ("n::a", True, 2)
    assert (first.params, first.launch_bounds) == ("float* x, int n = 3", "N * 2, 1")
    assert (second.name, second.is_template, second.line) == ("b", False, 5)
    assert result.has_main


def test_overloads_are_listed_and_not_registered():
    result = rewrite("__global__ void k(int a) {}\n__global__ void k(float a) {}\n")
    assert [kernel.is_overloaded for kernel in result.kernels] == [True, True]
    assert "Registered" not in result.text


def test_a_member_function_called_main_is_no_program():
    assert not rewrite(
        "struct S { int main() { return 0; } }; namespace n { int main() {} }"
    ).has_main


def test_instances_are_registered_behind_the_last_declaration():
    source = "template <class T> __global__ void k(T*) {}\n#if 1 > 0\nint x;\n#endif // k\n"
    lines = rewrite(source, instantiate=["k< float >"]).text.split("\n")
    assert lines[0].endswith(
        'static ::cusim::Registered cusim_instance_0_{"k< float >", &k< float >};'
    )


def test_a_kernel_is_registered_under_the_same_condition():
    text = rewritten("#ifdef A\nnamespace n { __global__ void k() {} }\n#endif\n").split("\n")
    assert text[1].endswith(
        'return; }} static ::cusim::Registered cusim_kernel_0_k_{"n::k", &k}; }'
    )


def test_a_tree_is_rewritten_with_the_files_that_it_includes(tmp_path):
    source = tmp_path / "in" / "app"
    source.mkdir(parents=True)
    (source / "main.cu").write_text(
        '#include <cstdio>\n#include "../lib/k.cuh"\n#include "missing.h"\n#include "own.h"\n'
        "int main() { k<<<1, 2>>>(NULL); }\n"
    )
    (source / "own.h").write_bytes(b"\xef\xbb\xbf#pragma once\r\n__device__ int d;\r\n")
    (tmp_path / "in" / "lib").mkdir()
    (tmp_path / "in" / "lib" / "k.cuh").write_text(
        '#pragma once\n#include "k.cuh"\n#include "../app/own.h"\n__global__ void k(int* x) {}\n'
    )
    out = tmp_path / "out"
    result = rewrite_tree(source / "main.cu", out)
    assert result.has_main
    assert [kernel.name for kernel in result.kernels] == ["k"]
    main = (out / "main.cu").read_text()
    assert main == result.text
    assert (
        '#include <cstdio>\n#include "up_/lib/k.cuh"\n#include "missing.h"\n#include "own.h"'
        in main
    )
    assert "1, 2), k(NULL));" in main
    header = (out / "up_" / "lib" / "k.cuh").read_text()
    assert '#include "k.cuh"\n#include "../../own.h"\n' in header
    assert (out / "own.h").read_bytes().startswith(b"#pragma once\r\n__device__ int d; static")


def test_a_tree_names_the_file_that_is_wrong(tmp_path):
    (tmp_path / "main.cu").write_text('#include "k.h"\n')
    (tmp_path / "k.h").write_text("\n__device__ int f() { return __any(1); }\n")
    with pytest.raises(CudaSyntaxError, match=r"^k\.h:2:29: error: __any is not supported"):
        rewrite_tree(tmp_path / "main.cu", tmp_path / "out")


def test_a_file_that_is_not_utf8_is_refused_with_its_place(tmp_path):
    (tmp_path / "main.cu").write_bytes(b"int a;\n// gr\xfc\n")
    with pytest.raises(CudaSyntaxError, match=r"main\.cu:2:6: error: byte 0xfc is not UTF-8"):
        rewrite_tree(tmp_path / "main.cu", tmp_path / "out")
