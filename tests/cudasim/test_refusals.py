import re

import pytest

from torchstone.cudasim.refusals import HEADERS, IDENTIFIERS
from torchstone.cudasim.rewrite import CudaSyntaxError, rewrite
from torchstone.cudasim.words import LANGS, say

pytestmark = pytest.mark.pure


def refusal(source: str) -> CudaSyntaxError:
    with pytest.raises(CudaSyntaxError) as caught:
        rewrite(source)
    return caught.value


def test_a_refusal_says_where_what_and_what_instead():
    error = refusal("\n__global__ void k(cudaTex t) {\n    float x = tex2D<float>(t, 0, 0);\n}\n")
    assert (error.line, error.column) == (3, 15)
    assert str(error) == (
        "kernel.cu:3:15: error: tex2D is not supported by cudasim: textures and surfaces read "
        "memory in ways that are not modelled; read global memory through __ldg instead"
    )


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("texture<float, 2> t;", "__ldg"),
        ("cudaTextureObject_t t;", "__ldg"),
        ("surf2Dwrite(x, s, 0, 0);", "__ldg"),
        ("tex1Dfetch<float>(t, 0);", "__ldg"),
        ("cudaGraph_t g;", "stream"),
        ("cudaStreamBeginCapture(s, m);", "stream"),
        ("cudaMalloc3D(&p, e);", "cudaMallocPitch"),
        ("cudaMallocArray(&a, &d, 1);", "cudaMallocPitch"),
        ("cg::cluster_group c;", "global memory"),
        ("auto c = cg::this_cluster();", "global memory"),
        ("c.map_shared_rank(p, 0);", "global memory"),
        ("cuLaunchKernel(f);", "runtime API"),
        ("cuInit(0);", "runtime API"),
        ("nvrtcCreateProgram(p);", "template"),
        ("__nv_fp8_e4m3 x;", "__half"),
        ("cublasSgemm(h);", "write the kernel"),
        ("curand_init(1, 2, 3, s);", "Philox"),
        ("thrust::sort(a, b);", "write the kernel"),
        ("using B = cub::BlockReduce<int, 4>;", "write the kernel"),
        ("__shfl(x, 0);", "__shfl_sync(0xffffffff"),
        ("__shfl_up(x, 0);", "__shfl_up_sync(0xffffffff"),
        ("__shfl_down(x, 0);", "__shfl_down_sync(0xffffffff"),
        ("__shfl_xor(x, 0);", "__shfl_xor_sync(0xffffffff"),
        ("__ballot(x);", "__ballot_sync(0xffffffff"),
        ("__any(x);", "__any_sync(0xffffffff"),
        ("__all(x);", "__all_sync(0xffffffff"),
        ('asm volatile("mov.u32 %0, %%laneid;" : "=r"(x));', "threadIdx.x % 32"),
        ('asm("cp.async.bulk.tensor.2d" :: );', "tensor memory accelerator"),
        ('asm volatile("wgmma.mma_async" :: );', "nvcuda::wmma"),
        ('asm volatile("mbarrier.init.b64" :: );', "__syncthreads"),
        ('asm("vote.all" : : );', "CUDA C++"),
        ("k<<<1, 2>>>();", "from the host"),
        ("cudaDeviceSynchronize();", "__syncthreads"),
    ],
)
def test_what_is_not_supported_is_refused_by_name_with_a_hint(code, hint):
    assert hint in refusal("__global__ void k() { " + code + " }").message


@pytest.mark.parametrize(
    "header",
    ["cub/cub.cuh", "thrust/sort.h", "curand_kernel.h", "cublas_v2.h", "cuda_fp8.h", "nvrtc.h"],
)
def test_headers_of_libraries_are_refused(header):
    error = refusal(f"// first\n#include <{header}>\n")
    assert error.line == 2
    assert error.message.startswith(f"{header} is not supported by cudasim: ")


@pytest.mark.parametrize("header", ["cstdio", "cuda_runtime.h", "vector", "cuda_fp16.h"])
def test_headers_that_are_there_are_taken(header):
    assert rewrite(f"#include <{header}>\n").text == f"#include <{header}>\n"


@pytest.mark.parametrize(
    "source",
    [
        '// tex2D( __shfl(x)\n/* asm("mov") k<<<1,2>>>() */ const char* s = "__any(x) <<<";',
        "int __any(int x) { return x; }\n__device__ int f() { return __any(1); }",
        "#define __any(x) __any_sync(~0u, x)\n__device__ int f() { return __any(1); }",
        "namespace cub { struct A {}; }\n__device__ cub::A f() { return cub::A(); }",
        "__device__ int f(S s) { return s.tex2D(1) + mine::tex2D(2); }",
        "__device__ void f() { float texture = 1; texture < 2; }",
        "void f() { int cuDeviceCount = 1; }",
        '__device__ void f() { asm volatile("" ::: "memory"); }',
        'void host() { asm volatile("pause"); }',
        "void host() { cudaDeviceSynchronize(); }",
        "#if 0\n__device__ int f() { return __shfl(1, 2); }\n#include <cub/cub.cuh>\n#endif",
        "#if 1\n#else\n__device__ int f() { return __shfl(1, 2); }\n#endif",
        "#define LEGACY(x) 1\n__host__ __device__ void f() { if (0) k<<<1, 2>>>(); }",
    ],
)
def test_what_only_looks_like_it_is_taken(source):
    rewrite(source)


@pytest.mark.parametrize(
    "source",
    [
        "#if X\n__device__ int f() { return __any(2); }\n#endif\n",
        "#define F(x) __any(x)\n",
    ],
)
def test_behind_an_if_or_in_a_macro_the_compiler_is_left_to_refuse(source):
    assert '_Pragma("GCC error \\"__any is not supported by cudasim: ' in rewrite(source).text


def test_an_include_guard_is_no_condition():
    error = refusal("#ifndef A\n#define A\n__device__ int f() { return __any(2); }\n#endif\n")
    assert error.line == 3


def test_an_include_behind_an_if_becomes_an_error_of_the_compiler():
    text = rewrite("#ifdef X\n#include <cub/cub.cuh>\n#endif\n").text.split("\n")[1]
    assert text.startswith('#error "cub/cub.cuh is not supported by cudasim: ')


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("__shared__ int a = 3;", "1:40: error: the __shared__ variable 'a' has an initialiser"),
        ("__shared__ int a{3};", "has an initialiser"),
        ("__shared__ A<int> b, a(3);", "'a' has an initialiser"),
    ],
)
def test_an_initialised_shared_variable_is_refused(code, message):
    assert message in str(refusal("__global__ void k() { " + code + " }"))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("#define CALL <<<1, 2>>>()\n", "1:14: error: a launch configuration without a kernel"),
        ("void f() { k<<<1, 2>>; }", "1:13: error: '<<<' without '>>>('"),
        ("void f() { k<<<>>>(x); }", "no grid and no block"),
        ("#define S __shared__ int\n", "'__shared__' without the variable"),
        ("template <class T> __device__ T x;", "1:20: error: a template of __device__ variables"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_its_place(source, message):
    assert message in str(refusal(source))


@pytest.mark.parametrize("row", IDENTIFIERS + HEADERS, ids=lambda row: row.pattern[:20])
def test_each_row_of_the_tables_is_a_pattern_and_says_what_to_do(row):
    re.compile(row.pattern)
    assert bool(row.reason) is not bool(row.instead)
    for lang in LANGS:
        assert row.instead or say("clause_mark", lang) in say(f"reason.{row.reason}", lang)
