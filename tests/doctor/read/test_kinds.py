"""Kinds of events: names as traces of several years, vendors and libraries have them."""

from __future__ import annotations

import pytest

from torchstone.doctor.read.kinds import Kind, kind_of, kind_of_call

pytestmark = pytest.mark.pure

CALLS = {
    Kind.LAUNCH: [
        *("cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx"),
        *("hipLaunchKernel", "hipExtModuleLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync"),
        *("cudaGraphLaunch", "cudaEventRecord", "cudaEventQuery", "cudaFuncGetAttributes"),
        *("hipMemcpyAsync", "cudaStreamWaitEvent", "cudaStreamIsCapturing"),
    ],
    Kind.SYNC: [
        *("cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaMemcpy"),
        *(
            "hipDeviceSynchronize",
            "hipStreamSynchronize",
            "hipMemcpyWithStream",
            "cuStreamSynchronize",
        ),
        *("cuCtxSynchronize", "cuMemcpyDtoH_v2", "hipMemcpy"),
    ],
    Kind.ALLOC: [
        *("cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaMallocAsync", "cuMemCreate", "hipMalloc"),
        *("hipFree", "cuMemMap", "cuMemSetAccess", "cudaMallocHost", "cudaFreeHost"),
    ],
}
KERNELS = {
    Kind.COMMUNICATION: [
        *("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "ncclDevKernel_SendRecv"),
        *("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "rcclGenericKernel", "mscclpp::allreduce"),
        *("void vllm::cross_device_reduce_1stage<__half, 8>", "one_shot_all_reduce_kernel"),
    ],
    Kind.KERNEL: [
        *("volta_sgemm_128x64_nn", "void at::native::reduce_kernel<512, 1>", "Cijk_Ailk_Bljk"),
        *("void flash_fwd_kernel<Flash_fwd_kernel_traits>", "triton_poi_fused_add_0"),
        *("ampere_bf16_s16816gemm", "MIOpenBatchNormFwdTrain"),
    ],
}


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k, names in CALLS.items() for n in names])
def test_calls_wait_or_allocate_or_launch(kind: Kind, name: str) -> None:
    assert kind_of_call(name) == kind
    for category in ("cuda_runtime", "cuda_driver", "hip_runtime", "Runtime"):
        assert kind_of(category, name) == kind


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k, names in KERNELS.items() for n in names])
def test_kernels_compute_or_exchange(kind: Kind, name: str) -> None:
    for category in ("kernel", "Kernel", "Concurrent Kernel"):
        assert kind_of(category, name) == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Memcpy HtoD (Pageable -> Device)", Kind.COPY_H2D),
        ("Memcpy DtoH (Device -> Pinned)", Kind.COPY_D2H),
        ("Memcpy DtoD (Device -> Device)", Kind.COPY_D2D),
        ("Memcpy PtoP (Device -> Device)", Kind.COPY_D2D),
        ("CopyHostToDevice", Kind.COPY_H2D),
        ("CopyDeviceToHost", Kind.COPY_D2H),
        ("Memset (Device)", Kind.COPY_D2D),
    ],
)
def test_copies_have_a_way(name: str, kind: Kind) -> None:
    for category in ("gpu_memcpy", "Memcpy", "gpu_memset"):
        assert kind_of(category, name) == kind


@pytest.mark.parametrize(
    ("category", "name", "kind"),
    [
        ("user_annotation", "ProfilerStep#12", Kind.STEP),
        ("Operator", "ProfilerStep#12", Kind.STEP),
        (None, "ProfilerStep # 3", Kind.OTHER),
        (None, "ProfilerStep #3", Kind.STEP),
        ("gpu_user_annotation", "ProfilerStep#12", Kind.OTHER),
        (
            "user_annotation",
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            Kind.LOADER,
        ),
        ("Operator", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", Kind.LOADER),
        ("python_function", "torch/utils/data/dataloader.py(628): __next__", Kind.LOADER),
        (
            "python_function",
            "/a/site-packages/torch/utils/data/dataloader.py(521): __next__",
            Kind.LOADER,
        ),
        ("python_function", "my/dataloader.py(5): __next__", Kind.PYTHON),
        ("user_annotation", "Optimizer.step#AdamW.step", Kind.OPTIMIZER),
        ("user_annotation", "Optimizer.zero_grad#SGD.zero_grad", Kind.OPTIMIZER),
        ("user_annotation", "## forward ##", Kind.ANNOTATION),
        ("cpu_op", "aten::mm", Kind.OPERATOR),
        ("python_gc", "Python GC", Kind.GC),
        ("python_function", "<built-in function collect>", Kind.GC),
        ("python_function", "<built-in function fsync>", Kind.IO),
        ("python_function", "train.py(3): step", Kind.PYTHON),
        ("Trace", "PyTorch Profiler (0)", Kind.OTHER),
        ("overhead", "Buffer Flush", Kind.OTHER),
        ("", "", Kind.OTHER),
        (None, "", Kind.OTHER),
    ],
)
def test_what_the_host_does(category: str | None, name: str, kind: Kind) -> None:
    assert kind_of(category, name) == kind
