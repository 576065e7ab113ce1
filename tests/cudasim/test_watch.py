"""What a program that calls another one's functions is told of them."""

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from torchstone.cudasim import KernelError

pytestmark = pytest.mark.cudasim

ODD = """
__global__ void move(const float4* from, float* to) {
    reinterpret_cast<float4*>(to + 1)[threadIdx.x] = from[threadIdx.x];
}
"""


@pytest.mark.parametrize("check", [False, True])
def test_a_wide_store_to_an_odd_address_is_misaligned_and_not_out_of_bounds(check: bool) -> None:
    module = cudasim.compile(ODD, check=check)
    source = cudasim.to_device(np.zeros(64, np.float32), check=check)
    target = cudasim.empty(80, np.float32, check=check)
    with pytest.raises(KernelError) as caught:
        module.move(1, 4)(source, target)
    assert caught.value.code == "cudaErrorMisalignedAddress"
    assert {each.kind for each in caught.value.findings} == {"misaligned"}


WATCHED = """
extern "C" void cusim_watch_stream(cudaStream_t stream);
extern "C" void cusim_end_watch(unsigned* elsewhere, unsigned* to_host);
__global__ void nothing() {}
extern "C" unsigned watch(int what) {
    cudaStream_t given, other;
    cudaStreamCreate(&given);
    cudaStreamCreate(&other);
    int *device, host = 0;
    cudaMalloc(&device, 2 * sizeof *device);
    cusim_watch_stream(given);
    switch (what) {
        case 0: nothing<<<1, 1, 0, given>>>(); break;
        case 1: nothing<<<1, 1>>>(); break;
        case 2: nothing<<<1, 1, 0, other>>>(); break;
        case 3: cudaMemsetAsync(device, 0, 8, other); break;
        case 4: cudaMemcpyAsync(device, device + 1, 4, cudaMemcpyDeviceToDevice, given); break;
        case 5: cudaMemcpyAsync(device, device + 1, 4, cudaMemcpyDeviceToDevice, other); break;
        case 6: cudaMemcpyAsync(&host, device, 4, cudaMemcpyDefault, given); break;
        case 7: cudaMemcpyAsync(device, &host, 4, cudaMemcpyDefault, given); break;
    }
    unsigned elsewhere, to_host;
    cusim_end_watch(&elsewhere, &to_host);
    nothing<<<1, 1>>>();
    cudaFree(device);
    cudaStreamDestroy(given);
    cudaStreamDestroy(other);
    return elsewhere + 10 * to_host;
}
"""


def test_whoever_watches_is_told_of_work_elsewhere_and_of_copies_to_the_host() -> None:
    watch = cudasim.compile(WATCHED).function("watch")
    assert [watch(what) for what in range(8)] == [0, 1, 1, 1, 0, 1, 10, 0]
