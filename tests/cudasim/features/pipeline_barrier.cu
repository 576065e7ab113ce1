// feature: cuda::barrier in shared memory: arrive, wait, arrive_and_wait, arrive_and_drop
// area: memory
#include <cstdio>

#include <cuda/barrier>
#include <utility>

#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void phases(int* wrong) {
    __shared__ Barrier barrier, half;
    __shared__ int values[64];
    __shared__ int from_first[32];
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
        init(&barrier, 64);
        init(&half, 64);
    }
    __syncthreads();
    int bad = 0;
    for (int step = 0; step < 5; step++) {
        values[thread] = step * 100 + thread;
        Barrier::arrival_token token = barrier.arrive();
        const int own = thread * step;
        barrier.wait(std::move(token));
        bad += values[63 - thread] + own != step * 100 + 63 - thread + thread * step;
        barrier.arrive_and_wait();
    }
    // The first warp hands over to the second, and goes on without it.
    if (thread < 32) {
        from_first[thread] = 7 * thread;
        static_cast<void>(half.arrive());
    } else {
        half.arrive_and_wait();
        bad += from_first[63 - thread] != 7 * (63 - thread);
    }
    // Those that leave are not waited for any more.
    if (thread >= 48) {
        barrier.arrive_and_drop();
    } else {
        barrier.arrive_and_wait();
        values[thread] = thread;
        barrier.arrive_and_wait();
        bad += values[47 - thread] != 47 - thread;
    }
    wrong[thread] = bad;
}

int main() {
    int* wrong;
    cudaMallocManaged(&wrong, 64 * sizeof(int));
    phases<<<1, 64>>>(wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("cuda::barrier: %d are wrong\n", sum);
    cudaFree(wrong);
    return sum != 0;
}
