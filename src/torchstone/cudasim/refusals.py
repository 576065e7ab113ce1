"""Refuse by name what cudasim does not support, so that nothing runs and is silently wrong."""

import re
from dataclasses import dataclass
from pathlib import Path

INCLUDE = Path(__file__).parent / "include"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Hold one row of the table.

    Attributes:
        pattern: Regular expression of the whole name.
        what: What it is, as the subject of a sentence.
        hint: What to do instead.
        before: Marks of which one has to follow for the name to be meant; empty for any.
    """

    pattern: str
    what: str
    hint: str
    before: str = ""


_TEXTURES = "textures and surfaces read memory in ways that are not modelled"
_TEXTURES_HINT = "read global memory through __ldg instead"
_GRAPHS = "CUDA graphs record work for later"
_GRAPHS_HINT = "launch the kernels on a stream instead"
_ARRAYS = "CUDA arrays have a layout that only textures can read"
_ARRAYS_HINT = "use cudaMalloc or cudaMallocPitch and plain indices"
_CLUSTERS = "clusters of blocks and distributed shared memory are not modelled"
_CLUSTERS_HINT = "let blocks exchange data through global memory"
_DRIVER = "the driver API loads compiled code"
_DRIVER_HINT = "use the runtime API (cudaMalloc, cudaMemcpy, kernel<<<...>>>)"
_FP8 = "8-, 6- and 4-bit floating point types are not modelled"
_FP8_HINT = "use __half or __nv_bfloat16"
_LIBRARY = "NVIDIA's libraries are compiled for its cards"
_LIBRARY_HINT = "write the kernel yourself"
_TEMPLATES = "NVIDIA's template libraries are not shipped with cudasim"
_NO_PTX = "the simulator knows no PTX; say it in CUDA C++"
_RTC = "compilation at run time needs NVIDIA's compiler"
_LEGACY = "it came without a mask and is gone since Volta"

IDENTIFIERS: tuple[Refusal, ...] = (
    Refusal(pattern="texture|surface", what=_TEXTURES, hint=_TEXTURES_HINT, before="<"),
    Refusal(
        pattern="(?:tex(?:1D|2D|3D|Cubemap)|surf(?:1D|2D|3D|Cubemap))"
        "(?:Layered)?(?:Lod|Grad|fetch|gather|read|write)?",
        what=_TEXTURES,
        hint=_TEXTURES_HINT,
        before="( <",
    ),
    Refusal(
        pattern="cuda(?:Texture|Surface)(?:Object_t|Desc)|textureReference|surfaceReference"
        "|cuda(?:Create|Destroy)(?:Texture|Surface)Object|cuda(?:Bind|Unbind)Texture\\w*"
        "|cudaBindSurface\\w*|cudaCreateChannelDesc|cudaChannelFormatDesc",
        what=_TEXTURES,
        hint=_TEXTURES_HINT,
    ),
    Refusal(
        pattern="cudaGraph\\w*|cudaStream(?:Begin|End)Capture\\w*|cudaStreamIsCapturing",
        what=_GRAPHS,
        hint=_GRAPHS_HINT,
    ),
    Refusal(
        pattern="cudaMalloc(?:3D|Array|3DArray|MipmappedArray)|cudaMemcpy3D\\w*|cudaMemset3D\\w*"
        "|cudaMemcpy(?:2D)?(?:To|From)Array\\w*|cudaMemcpyArrayToArray|cudaArray_t"
        "|cudaMipmappedArray_t|cudaPitchedPtr|make_cudaPitchedPtr|cudaFreeArray",
        what=_ARRAYS,
        hint=_ARRAYS_HINT,
    ),
    Refusal(
        pattern="__cluster_dims__|__block_size__|cluster_group|this_cluster|map_shared_rank"
        "|__cluster\\w+|cudaLaunchKernelEx\\w*|cudaLaunchAttributeCluster\\w*",
        what=_CLUSTERS,
        hint=_CLUSTERS_HINT,
    ),
    Refusal(
        pattern="this_multi_grid|multi_grid_group|cudaLaunchCooperativeKernelMultiDevice",
        what="cooperative launches over several devices are not modelled",
        hint="use this_grid() and cudaLaunchCooperativeKernel on one device",
    ),
    Refusal(
        pattern="cu(?:Launch|Module|Init|Ctx|Mem|Device|Stream|Event|Func|Get|Tex|Array|Graph|Link"
        "|Library|Kernel|TensorMap|Occupancy|Pointer)\\w*",
        what=_DRIVER,
        hint=_DRIVER_HINT,
        before="(",
    ),
    Refusal(
        pattern="CUtensorMap",
        what="the tensor memory accelerator is not modelled",
        hint="load tiles with plain loads or __pipeline_memcpy_async",
    ),
    Refusal(
        pattern="nvrtc\\w+",
        what=_RTC,
        hint="write the kernel in the source, or use a template",
        before="(",
    ),
    Refusal(pattern="__nv_fp[864]\\w*", what=_FP8, hint=_FP8_HINT),
    Refusal(
        pattern="cublas\\w+|cublasLt\\w+|cudnn\\w+|cufft\\w+|cusparse\\w+|cusolver\\w+|nccl[A-Z]\\w+",
        what=_LIBRARY,
        hint=_LIBRARY_HINT,
        before="(",
    ),
    Refusal(
        pattern="curand\\w*",
        what=_LIBRARY,
        hint="write a counter-based generator such as Philox in the kernel",
        before="(",
    ),
    Refusal(pattern="thrust|cub", what=_TEMPLATES, hint=_LIBRARY_HINT, before="::"),
    Refusal(
        pattern="cudaIpc\\w+|cudaGraphics\\w+|cudaGL\\w+|cudaImportExternal\\w+|cudaExternal\\w+",
        what="memory of other processes and graphics libraries is out of reach",
        hint="allocate with cudaMalloc",
    ),
    Refusal(
        pattern="__shfl", what=_LEGACY, before="(", hint="use __shfl_sync(0xffffffff, value, lane)"
    ),
    Refusal(
        pattern="__shfl_up",
        what=_LEGACY,
        before="(",
        hint="use __shfl_up_sync(0xffffffff, value, delta)",
    ),
    Refusal(
        pattern="__shfl_down",
        what=_LEGACY,
        before="(",
        hint="use __shfl_down_sync(0xffffffff, value, delta)",
    ),
    Refusal(
        pattern="__shfl_xor",
        what=_LEGACY,
        before="(",
        hint="use __shfl_xor_sync(0xffffffff, value, lane_mask)",
    ),
    Refusal(
        pattern="__ballot",
        what=_LEGACY,
        before="(",
        hint="use __ballot_sync(0xffffffff, predicate)",
    ),
    Refusal(
        pattern="__any", what=_LEGACY, before="(", hint="use __any_sync(0xffffffff, predicate)"
    ),
    Refusal(
        pattern="__all", what=_LEGACY, before="(", hint="use __all_sync(0xffffffff, predicate)"
    ),
)

# The first row whose pattern fits the name of the header; a header that cudasim ships is fine.
HEADERS: tuple[Refusal, ...] = (
    Refusal(pattern="cub/.*|thrust/.*", what=_TEMPLATES, hint=_LIBRARY_HINT),
    Refusal(
        pattern="(?:cuda|nv)/.*",
        what="libcu++ is not shipped with cudasim",
        hint="use the functions of CUDA C++ itself (atomicAdd, __syncthreads, ...)",
    ),
    Refusal(
        pattern="curand.*",
        what=_LIBRARY,
        hint="write a counter-based generator such as Philox in the kernel",
    ),
    Refusal(
        pattern="(?:cublas|cudnn|cufft|cusparse|cusolver|nccl|npp|nvjpeg|cutlass|cute/).*",
        what=_LIBRARY,
        hint=_LIBRARY_HINT,
    ),
    Refusal(
        pattern="nvrtc\\.h|nvJitLink\\.h",
        what=_RTC,
        hint="write the kernel in the source, or use a template",
    ),
    Refusal(pattern="cuda\\.h|cudaTypedefs\\.h", what=_DRIVER, hint=_DRIVER_HINT),
    Refusal(pattern="cuda_fp[864]\\.h.*", what=_FP8, hint=_FP8_HINT),
    Refusal(
        pattern="cuda_gl_interop\\.h|cuda_d3d.*|cuda_egl.*|cuda_vdpau.*",
        what="memory of graphics libraries is out of reach",
        hint="allocate with cudaMalloc",
    ),
    Refusal(pattern="texture_\\w+\\.h|surface_\\w+\\.h", what=_TEXTURES, hint=_TEXTURES_HINT),
    Refusal(
        pattern="nvtx3?/.*|nvToolsExt\\.h|cuda_profiler_api\\.h|cupti.*",
        what="there is no card to profile",
        hint="ask cudasim for its counters instead",
    ),
)

# What inline PTX is for, by the first of these words in it.
PTX: tuple[tuple[str, str], ...] = (
    ("wgmma", "warpgroup matrix instructions are not modelled; use nvcuda::wmma"),
    ("setmaxnreg", "warpgroup registers are not modelled; leave it out"),
    ("tcgen05", "tensor memory is not modelled; use nvcuda::wmma"),
    (
        "cp.async.bulk",
        "the tensor memory accelerator is not modelled; use plain loads or __pipeline_memcpy_async",
    ),
    ("mbarrier", "barriers in shared memory are not modelled; use __syncthreads"),
    ("barrier.cluster", _CLUSTERS + "; " + _CLUSTERS_HINT),
    ("mapa", _CLUSTERS + "; " + _CLUSTERS_HINT),
    ("cp.async", "use __pipeline_memcpy_async of cuda_pipeline.h"),
    ("ldmatrix", "use nvcuda::wmma::load_matrix_sync"),
    ("mma.", "use nvcuda::wmma::mma_sync"),
    ("shfl", "use __shfl_sync and its kin"),
    ("bar.", "use __syncthreads or __syncwarp"),
    ("laneid", "use threadIdx.x % 32"),
    ("globaltimer", "use clock64()"),
    ("clock", "use clock64()"),
    ("membar", "use __threadfence()"),
    ("fence", "use __threadfence()"),
)


def header_refusal(header: str) -> str:
    """Return why a system header is refused; nothing if it is not."""
    return "" if (INCLUDE / header).exists() else _reason(HEADERS, header)


def identifier_refusal(word: str, following: str) -> str:
    """Return why a name is refused when a given token follows it; nothing if it is not."""
    if not _MAYBE.match(word):
        return ""
    rows = [row for row in IDENTIFIERS if not row.before or following in row.before.split()]
    return _reason(tuple(rows), word)


# All names of the table begin like this, and few others do.
_MAYBE = re.compile(r"tex|surf|cu|__|CU|thrust|this_|map_|multi_|make_cuda|nvrtc|nccl|cluster")


def ptx_refusal(instruction: str) -> str:
    """Return why inline PTX is refused."""
    hint = next((each for word, each in PTX if word in instruction), _NO_PTX)
    return f"inline PTX is not supported by cudasim: {hint}"


def _reason(rows: tuple[Refusal, ...], name: str) -> str:
    for row in rows:
        if re.fullmatch(row.pattern, name):
            return f"{name} is not supported by cudasim: {row.what}; {row.hint}"
    return ""
