// feature: Cooperative groups: coalesced_threads, its rank, shuffles and votes
// area: groups
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

// One atomic operation for all lanes that are active together.
__device__ int add_one(int* counter) {
    const cg::coalesced_group active = cg::coalesced_threads();
    int before = 0;
    if (active.thread_rank() == 0) {
        before = atomicAdd(counter, static_cast<int>(active.size()));
    }
    return active.shfl(before, 0) + static_cast<int>(active.thread_rank());
}

__global__ void odd_lanes(int* counter, int* seen, int* wrong) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    int bad = 0;
    if (thread % 2 == 1) {
        seen[add_one(counter)]++;
        const cg::coalesced_group odd = cg::coalesced_threads();
        const int rank = static_cast<int>(odd.thread_rank());
        bad += odd.size() != 16 || odd.num_threads() != 16 || rank != lane / 2;
        bad += odd.shfl(lane, 2) != 5;
        bad += odd.shfl_up(lane, 1) != (rank > 0 ? lane - 2 : lane);
        bad += odd.shfl_down(lane, 3) != (rank < 13 ? lane + 6 : lane);
        bad += odd.any(lane == 7) != 1 || odd.all(lane != 7) != 0;
        bad += odd.ballot(rank < 4) != 0xfu;
        bad += odd.match_any(rank / 8) != (rank < 8 ? 0x00ffu : 0xff00u);
        int same = 0;
        bad += odd.match_all(5, same) != 0xffffu || same == 0;
        odd.sync();
    }
    wrong[thread] = bad;
}

int main() {
    int *counter, *seen, *wrong;
    cudaMallocManaged(&counter, sizeof(int));
    cudaMallocManaged(&seen, 64 * sizeof(int));
    cudaMallocManaged(&wrong, 128 * sizeof(int));
    cudaMemset(counter, 0, sizeof(int));
    cudaMemset(seen, 0, 64 * sizeof(int));
    odd_lanes<<<1, 128>>>(counter, seen, wrong);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int sum = *counter != 64;
    for (int i = 0; i < 64; i++) {
        sum += seen[i] != 1;
    }
    for (int i = 0; i < 128; i++) {
        sum += wrong[i];
    }
    if (sum) std::printf("coalesced_group: %d are wrong\n", sum);
    cudaFree(counter);
    cudaFree(seen);
    cudaFree(wrong);
    return sum != 0;
}
