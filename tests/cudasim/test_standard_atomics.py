"""The atomic operations of C++ in kernels, which the check build does itself."""

from pathlib import Path

import pytest

from tests.cudasim.programs import ASCENDING, run_program
from torchstone.cudasim.toolchain import Build

pytestmark = pytest.mark.cudasim

HAND_OVER = """
__global__ void hand_over(int* flag, int* data, int* out) {
    if (threadIdx.x == 0) {
        *data = 42;
        __atomic_store_n(flag, 1, %(store)s);
    } else if (threadIdx.x == 32) {
        while (__atomic_load_n(flag, %(load)s) == 0) {
            __nanosleep(10);
        }
        *out = *data;
    }
}
int main() {
    int *ints, host = 0;
    cudaMalloc(&ints, 3 * sizeof(int));
    cudaMemset(ints, 0, 3 * sizeof(int));
    hand_over<<<1, 64>>>(ints, ints + 1, ints + 2);
    cudaMemcpy(&host, ints + 2, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(ints);
    return host != 42;
}
"""
COUNT = """
template <class T>
__global__ void count(T* values) {
    __atomic_fetch_add(&values[0], 1, __ATOMIC_RELAXED);
    __sync_fetch_and_sub(&values[1], 1);
    T old = 0;
    while (!__atomic_compare_exchange_n(&values[2], &old, T(old + 2), true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
    }
    __atomic_fetch_xor(&values[3], T(threadIdx.x), __ATOMIC_SEQ_CST);
}
template <class T>
bool is_counted() {
    T *values, host[4];
    cudaMalloc(&values, sizeof host);
    cudaMemset(values, 0, sizeof host);
    count<<<2, 32>>>(values);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(values);
    return host[0] == 64 && host[1] == T(-64) && host[2] == T(128) && host[3] == 0;
}
int main() {
    return !(is_counted<unsigned char>() && is_counted<short>() && is_counted<int>() &&
             is_counted<unsigned long long>());
}
"""
# What `std::atomic` of 16 bytes calls, without the library that it would call otherwise.
WIDE = """
__int128 wide = 1;
int main() {
    __atomic_fetch_add(&wide, (__int128)1 << 100, __ATOMIC_SEQ_CST);
    __int128 expected = 1;
    if (__atomic_compare_exchange_n(&wide, &expected, 2, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
        return 1;
    }
    __atomic_store_n(&wide, expected + 1, __ATOMIC_SEQ_CST);
    void* any;
    cudaMalloc(&any, 4);
    cudaFree(any);
    return __atomic_load_n(&wide, __ATOMIC_SEQ_CST) != ((__int128)1 << 100) + 2;
}
"""
GUARDED = """
struct Made {
    int value;
    Made() : value(3) {}
};
__global__ void use(int* out) {
    static Made made;
    *out = made.value;
}
int main() {
    int *out, host = 0;
    cudaMalloc(&out, sizeof(int));
    use<<<2, 2>>>(out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return host != 3;
}
"""


def found_in(source: str, folder: Path) -> set[str]:
    path = folder / "program.cu"
    path.write_text(source)
    run = run_program(path, Build.CHECK, order=ASCENDING)
    assert run.exit_code == 0, run.output
    return {each.kind for each in run.findings}


def test_a_release_and_an_acquire_order_what_lies_around_them(tmp_path):
    orders = {"store": "__ATOMIC_RELEASE", "load": "__ATOMIC_ACQUIRE"}
    assert found_in(HAND_OVER % orders, tmp_path) == set()


def test_a_relaxed_store_orders_nothing(tmp_path):
    orders = {"store": "__ATOMIC_RELAXED", "load": "__ATOMIC_ACQUIRE"}
    assert found_in(HAND_OVER % orders, tmp_path) == {"RAW"}


def test_atomics_of_every_size_count_and_are_no_race(tmp_path):
    assert found_in(COUNT, tmp_path) == set()


def test_atomics_of_16_bytes_need_no_library(tmp_path):
    assert found_in(WIDE, tmp_path) == set()


def test_the_guard_of_a_local_static_is_no_finding(tmp_path):
    assert found_in(GUARDED, tmp_path) == set()
