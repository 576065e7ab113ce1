// Calls the functions of problem 45: two inside kernels of its own, one on the host.
#include <string>

#include "contract.h"
#include "launch.h"

namespace {

// What the lanes of a warp do that its mask does not name, and how the others arrive.
enum Manner : int {
    leave = 0,         // they end at once
    elsewhere = 1,     // they wait in another branch
    arrive_apart = 2,  // so they do, and every second lane of the mask comes later than the first
};

// Lets every second lane fall behind. Who asks for the active lanes gets them when nothing else can
// run, so those who come here are answered with the lanes that ask already somewhere else, apart.
__device__ void fall_behind() {
    __activemask();
    __activemask();  // on a second line: the first may be told apart from the others by none
}

__global__ void sum_warps(const float* x, const int* num_lanes, float* sums, int manner) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const unsigned count = num_lanes[warp];
    const unsigned mask = count == 32 ? 0xffffffffu : (1u << count) - 1;
    if (lane < count) {
        const float v = x[32 * warp + lane];
        if (manner == arrive_apart && lane % 2 == 1) {
            fall_behind();
        }
        const float sum = warp_sum(v, mask);
        if (lane == 0) {
            sums[warp] = sum;
        }
    } else if (manner != leave) {
        __syncwarp(~mask);
    }
    if (manner != leave) {
        __syncwarp();
    }
}

constexpr int num_rounds = 3;

__global__ void sum_blocks(const float* x, float* sums) {
    const unsigned size = blockDim.x * blockDim.y * blockDim.z;
    const unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned first = blockIdx.x * num_rounds * size + rank;
    // Every thread keeps every sum, and the next call begins at once.
    sums[first] = block_sum(x[first]);
    sums[first + size] = block_sum(x[first + size]);
    sums[first + 2 * size] = block_sum(x[first + 2 * size]);
}

void call_warp_sum(judge::Call& call) {
    const auto grid = static_cast<unsigned>(call.integer("grid"));
    const auto block = static_cast<unsigned>(call.integer("block"));
    sum_warps<<<grid, block, 0, call.stream()>>>(
        call.input<float>("x"), call.input<int>("num_lanes"), call.output<float>("sums"),
        static_cast<int>(call.integer("manner")));
}

void call_block_sum(judge::Call& call) {
    const auto grid = static_cast<unsigned>(call.integer("grid"));
    const dim3 block(static_cast<unsigned>(call.integer("block_x")),
                     static_cast<unsigned>(call.integer("block_y")),
                     static_cast<unsigned>(call.integer("block_z")));
    sum_blocks<<<grid, block, 0, call.stream()>>>(call.input<float>("x"),
                                                  call.output<float>("sums"));
}

// One call or several, the next before anybody has waited for the last. Each has an x and an out of
// its own, which lie behind each other.
cudaError_t call_reduce_sum(judge::Call& call, const float* x, float* out) {
    const long long num_calls = call.integer("num_calls");
    for (long long i = 0; i < num_calls; i++) {
        const long long n = call.integer(("n" + std::to_string(i)).c_str());
        const cudaError_t status = reduce_sum(x, n, out + i, call.stream());
        if (status != cudaSuccess) {
            return status;
        }
        x += n;
    }
    return cudaSuccess;
}

// The status of a call on a stream that has been destroyed, so that no launch succeeds.
cudaError_t call_on_ended_stream(judge::Call& call, const float* x, float* out) {
    cudaStream_t ended = nullptr;
    cudaStreamCreate(&ended);
    cudaStreamDestroy(ended);
    const cudaError_t status = reduce_sum(x, call.integer("n0"), out, ended);
    cudaGetLastError();  // who has only peeked at the error has left it there
    return status;
}

void launch_reduce_sum(judge::Call& call) {
    const float* const x = call.input<float>("x");
    float* const out = call.output<float>("out");
    if (call.has("stream_has_ended")) {
        call.returned("status", call_on_ended_stream(call, x, out));
    } else {
        call.entry([&] { return call_reduce_sum(call, x, out); });
    }
}

}  // namespace

void launch(judge::Call& call) {
    if (call.is("warp")) {
        call_warp_sum(call);
    } else if (call.is("block")) {
        call_block_sum(call);
    } else {
        launch_reduce_sum(call);
    }
    call.finish();
}
