from pathlib import Path

import pytest

from tests.cudasim.programs import ASCENDING, run_program
from torchstone.cudasim.rewrite import rewrite
from torchstone.cudasim.toolchain import Build


def rewritten(source: str) -> str:
    return rewrite(source).text


LAUNCH_STUB = (
    "{ if (::cusim::is_called_for_launch()) { ::cusim::LaunchStub<static_cast<void (*)(%s)>(&%s)>"
)


@pytest.mark.pure
@pytest.mark.parametrize(
    ("head", "types", "name"),
    [
        ("__global__ void k()", "", "k"),
        ("__global__ void k(void)", "", "k"),
        ("__global__ void k(const T* __restrict__ x)", "decltype(x)", "k"),
        ("__global__ void k(unsigned n, int m = f(1, 2))", "decltype(n), decltype(m)", "k"),
        ("template <class T, int N = 2> __global__ void k(T (&a)[N])", "decltype(a)", "k<T, N>"),
        ("template <class... T> __global__ void k(T*... x)", "decltype(x)...", "k<T...>"),
        ("template <template <class> class C> __global__ void k(C<int> c)", "decltype(c)", "k<C>"),
        ("template <> __global__ void k<int>(int* x)", "decltype(x)", "k<int>"),
        ("__global__ void k(void (*f)(int), int g(float))", "decltype(f), decltype(g)", "k"),
        ("__global__ void k(int (*t[3])(int), S::T s)", "decltype(t), decltype(s)", "k"),
        ("__global__ void BOUNDS(N) k(int a[2][3])", "decltype(a)", "k"),
        ("__global__ void k(int x __attribute__((unused)))", "decltype(x)", "k"),
        ("namespace n { __global__ void k(int k)", "decltype(k)", "::n::k"),
    ],
)
def test_a_kernel_begins_by_looking_whether_it_is_launched(head, types, name):
    types = types.replace("decltype(", "::cusim::plain_type<decltype(").replace(")", ")>")
    assert LAUNCH_STUB % (types, name) in rewritten(head + " { int body; }")


@pytest.mark.pure
@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("(int)", "(int cusim_p0_)"),
        ("(const S, n::T, int*)", "(const S cusim_p0_, n::T cusim_p1_, int* cusim_p2_)"),
        ("(int (*)(int), int (&)[3])", "(int (* cusim_p0_)(int), int (& cusim_p1_)[3])"),
        ("(float[4], int = 3)", "(float cusim_p0_[4], int cusim_p1_ = 3)"),
        ("(decltype(x), struct S)", "(decltype(x) cusim_p0_, struct S cusim_p1_)"),
        ("(T...)", "(T... cusim_p0_)"),
    ],
)
def test_parameters_without_a_name_get_one(parameters, expected):
    text = rewritten(f"template <class T, class = int, int> __global__ void k{parameters} {{}}")
    assert "template <class T, class cusim_t1_ = int, int cusim_t2_> __global__" in text
    assert f"void k{expected} {{" in text


@pytest.mark.pure
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "#define K(n, T) __global__ void n##_##T(T* x) { *x = 1; }\n",
            "<decltype(x)>)>(&n##_##T)>",
        ),
        ("#define KERNEL __global__ void\nKERNEL k(int* x) { *x = 1; }\n", "<decltype(x)>)>(&k)>"),
        ("#define D(x)\nD(1) D(2)\ntemplate <int N> __global__ void k() {}\n", "(&k<N>)>"),
        ("#if A\n__global__ void k(int x) {\n#else\n__global__ void k() {\n#endif\n}", "(&k)>"),
    ],
)
def test_a_macro_or_an_if_hides_no_kernel(source, expected):
    text = rewritten(source + "void h() { unknown<<<1, 2>>>(); }")
    assert expected in text
    assert text.count("is_called_for_launch") == source.count("{")
    assert "unknown()" in text


@pytest.mark.pure
def test_a_kernel_with_a_pack_of_constants_has_no_address_to_g_plus_plus_and_does_not_look():
    assert "LaunchStub" not in rewritten("template <class... T> __global__ void k(const T... x) {}")
    assert "LaunchStub" not in rewritten(
        "template <class... T> __global__ void k(T* const... x) {}"
    )
    assert "LaunchStub" in rewritten("template <class... T> __global__ void k(const T*... x) {}")


@pytest.mark.cudasim
@pytest.mark.parametrize("build", Build)
def test_what_is_launched_and_is_no_kernel_is_told(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "program.cu"
    path.write_text(
        "void host(int* x) { *x = 1; }\n"
        "int main() {\n"
        "    int x = 0;\n"
        "    host<<<1, 1>>>(&x);\n"
        "    return cudaGetLastError() != cudaErrorInvalidDeviceFunction;\n"
        "}\n"
    )
    run = run_program(path, build, order=ASCENDING)
    assert run.exit_code == 0
    (finding,) = run.findings
    assert (finding.kind, finding.kernel) == ("launch", "host")
    assert finding.detail[0].say == "launch-of-no-kernel"
    assert finding.place is not None
    assert finding.place.line == 4


@pytest.mark.cudasim
@pytest.mark.parametrize("build", Build)
def test_a_kernel_whose_parameters_a_macro_hides_can_be_launched(
    build: Build, tmp_path: Path
) -> None:
    path = tmp_path / "program.cu"
    path.write_text(
        "#define KERNEL(name, ...) __global__ void name(__VA_ARGS__)\n"
        "KERNEL(one, int* x, int v) { *x = v; }\n"
        "template <class T> __global__ void two(T* x, T*) { *x *= 2; }\n"
        "int main() {\n"
        "    int *x, host = 0;\n"
        "    cudaMalloc(&x, sizeof(int));\n"
        "    one<<<1, 1>>>(x, 4);\n"
        "    two<int><<<1, 1>>>(x, 0);\n"
        "    void (*any)(int*, int*) = two;\n"
        "    any<<<1, 1>>>(x, nullptr);\n"
        "    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);\n"
        "    cudaFree(x);\n"
        "    return host != 16;\n"
        "}\n"
    )
    run = run_program(path, build, order=ASCENDING)
    assert (run.exit_code, run.findings) == (0, ())


@pytest.mark.cudasim
def test_an_instance_is_called_by_its_name_where_only_its_address_is_given(tmp_path: Path) -> None:
    path = tmp_path / "program.cu"
    path.write_text(
        "namespace n { template <class T, int N> __global__ void put(T* x) { x[N] = 1; } }\n"
        "int main() {\n"
        "    float* x;\n"
        "    cudaMalloc(&x, sizeof(float));\n"
        "    void* arguments[] = {&x};\n"
        "    cudaLaunchKernel((void*)n::put<float, 1>, 1, 1, arguments, 0, 0);\n"
        "    cudaFree(x);\n"
        "}\n"
    )
    (finding,) = run_program(path, Build.CHECK, order=ASCENDING).findings
    assert (finding.kind, finding.kernel) == ("out-of-bounds", "n::put<float, 1>")
