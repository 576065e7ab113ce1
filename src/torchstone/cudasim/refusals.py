"""Error messages for CUDA features that cudasim does not support."""

import re
from dataclasses import dataclass
from pathlib import Path

from torchstone.cudasim.words import say

INCLUDE = Path(__file__).parent / "include"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Row of a table of unsupported features.

    Attributes:
        pattern: Regular expression that matches the whole name.
        reason: The key under ``reason`` in the catalogue: why, and what to use instead.
        before: Tokens of which one must follow the name; empty for any.
        instead: The name of the replacement of a legacy function.
    """

    pattern: str
    reason: str = ""
    before: str = ""
    instead: str = ""


IDENTIFIERS: tuple[Refusal, ...] = (
    Refusal(pattern="texture|surface", reason="textures", before="<"),
    Refusal(
        pattern="(?:tex(?:1D|2D|3D|Cubemap)|surf(?:1D|2D|3D|Cubemap))"
        "(?:Layered)?(?:Lod|Grad|fetch|gather|read|write)?",
        reason="textures",
        before="( <",
    ),
    Refusal(
        pattern="cuda(?:Texture|Surface)(?:Object_t|Desc)|textureReference|surfaceReference"
        "|cuda(?:Create|Destroy)(?:Texture|Surface)Object|cuda(?:Bind|Unbind)Texture\\w*"
        "|cudaBindSurface\\w*|cudaCreateChannelDesc|cudaChannelFormatDesc",
        reason="textures",
    ),
    Refusal(
        pattern="cudaGraph\\w*|cudaStream(?:Begin|End)Capture\\w*|cudaStreamIsCapturing",
        reason="graphs",
    ),
    Refusal(
        pattern="cudaMalloc(?:3D|Array|3DArray|MipmappedArray)|cudaMemcpy3D\\w*|cudaMemset3D\\w*"
        "|cudaMemcpy(?:2D)?(?:To|From)Array\\w*|cudaMemcpyArrayToArray|cudaArray_t"
        "|cudaMipmappedArray_t|cudaPitchedPtr|make_cudaPitchedPtr|cudaFreeArray",
        reason="arrays",
    ),
    Refusal(
        pattern="__cluster_dims__|__block_size__|cluster_group|this_cluster|map_shared_rank"
        "|__cluster\\w+|cudaLaunchKernelEx\\w*|cudaLaunchAttributeCluster\\w*",
        reason="clusters",
    ),
    Refusal(
        pattern="this_multi_grid|multi_grid_group|cudaLaunchCooperativeKernelMultiDevice",
        reason="multi_device",
    ),
    Refusal(
        pattern="cu(?:Launch|Module|Init|Ctx|Mem|Device|Stream|Event|Func|Get|Tex|Array|Graph|Link"
        "|Library|Kernel|TensorMap|Occupancy|Pointer)\\w*",
        reason="driver",
        before="(",
    ),
    Refusal(
        pattern="CUtensorMap",
        reason="tensor_map",
    ),
    Refusal(
        pattern="nvrtc\\w+",
        reason="run_time_compilation",
        before="(",
    ),
    Refusal(pattern="__nv_fp[864]\\w*", reason="fp8"),
    Refusal(
        pattern="cublas\\w+|cublasLt\\w+|cudnn\\w+|cufft\\w+|cusparse\\w+|cusolver\\w+|nccl[A-Z]\\w+",
        reason="library",
        before="(",
    ),
    Refusal(
        pattern="curand\\w*",
        reason="random_library",
        before="(",
    ),
    Refusal(pattern="thrust|cub", reason="templates", before="::"),
    Refusal(
        pattern="cudaIpc\\w+|cudaGraphics\\w+|cudaGL\\w+|cudaImportExternal\\w+|cudaExternal\\w+",
        reason="foreign_memory",
    ),
    Refusal(pattern="__shfl", before="(", instead="__shfl_sync(0xffffffff, value, lane)"),
    Refusal(
        pattern="__shfl_up",
        before="(",
        instead="__shfl_up_sync(0xffffffff, value, delta)",
    ),
    Refusal(
        pattern="__shfl_down",
        before="(",
        instead="__shfl_down_sync(0xffffffff, value, delta)",
    ),
    Refusal(
        pattern="__shfl_xor",
        before="(",
        instead="__shfl_xor_sync(0xffffffff, value, lane_mask)",
    ),
    Refusal(
        pattern="__ballot",
        before="(",
        instead="__ballot_sync(0xffffffff, predicate)",
    ),
    Refusal(pattern="__any", before="(", instead="__any_sync(0xffffffff, predicate)"),
    Refusal(pattern="__all", before="(", instead="__all_sync(0xffffffff, predicate)"),
)

# The first row whose pattern matches the header applies; headers that cudasim ships are accepted.
HEADERS: tuple[Refusal, ...] = (
    Refusal(pattern="cub/.*|thrust/.*", reason="templates"),
    Refusal(
        pattern="(?:cuda|nv)/.*",
        reason="standard_library",
    ),
    Refusal(
        pattern="curand.*",
        reason="random_library",
    ),
    Refusal(
        pattern="(?:cublas|cudnn|cufft|cusparse|cusolver|nccl|npp|nvjpeg|cutlass|cute/).*",
        reason="library",
    ),
    Refusal(
        pattern="nvrtc\\.h|nvJitLink\\.h",
        reason="run_time_compilation",
    ),
    Refusal(pattern="cuda\\.h|cudaTypedefs\\.h", reason="driver"),
    Refusal(pattern="cuda_fp[864]\\.h.*", reason="fp8"),
    Refusal(
        pattern="cuda_gl_interop\\.h|cuda_d3d.*|cuda_egl.*|cuda_vdpau.*",
        reason="graphics",
    ),
    Refusal(pattern="texture_\\w+\\.h|surface_\\w+\\.h", reason="textures"),
    Refusal(
        pattern="nvtx3?/.*|nvToolsExt\\.h|cuda_profiler_api\\.h|cupti.*",
        reason="profiler",
    ),
)

# Words in inline PTX, and the key of the reason; the first word that occurs applies.
PTX: tuple[tuple[str, str], ...] = (
    ("wgmma", "ptx_wgmma"),
    ("setmaxnreg", "ptx_setmaxnreg"),
    ("tcgen05", "ptx_tcgen05"),
    ("cp.async.bulk", "ptx_bulk_copy"),
    ("mbarrier", "ptx_mbarrier"),
    ("barrier.cluster", "clusters"),
    ("mapa", "clusters"),
    ("cp.async", "ptx_async_copy"),
    ("ldmatrix", "ptx_ldmatrix"),
    ("mma.", "ptx_mma"),
    ("shfl", "ptx_shfl"),
    ("bar.", "ptx_bar"),
    ("laneid", "ptx_laneid"),
    ("globaltimer", "ptx_clock"),
    ("clock", "ptx_clock"),
    ("membar", "ptx_fence"),
    ("fence", "ptx_fence"),
)


def header_refusal(header: str) -> str:
    """Return why a system header is refused; empty if it is accepted."""
    return "" if (INCLUDE / header).exists() else _reason(HEADERS, header)


def identifier_refusal(word: str, following: str) -> str:
    """Return why a name is refused when followed by a given token; empty if it is accepted."""
    if not _MAYBE.match(word):
        return ""
    rows = [row for row in IDENTIFIERS if not row.before or following in row.before.split()]
    return _reason(tuple(rows), word)


# Prefilter: all names of the table begin like this, and few others do.
_MAYBE = re.compile(r"tex|surf|cu|__|CU|thrust|this_|map_|multi_|make_cuda|nvrtc|nccl|cluster")


def ptx_refusal(instruction: str) -> str:
    """Return why inline PTX is refused."""
    key = next((each for word, each in PTX if word in instruction), "ptx")
    return say("refusal.ptx", "en", reason=say(f"reason.{key}", "en"))


def _reason(rows: tuple[Refusal, ...], name: str) -> str:
    row = next((row for row in rows if re.fullmatch(row.pattern, name)), None)
    if row is None:
        return ""
    if row.instead:
        return say("refusal.legacy", "en", name=name, instead=row.instead)
    return say("refusal.unsupported", "en", name=name, reason=say(f"reason.{row.reason}", "en"))
