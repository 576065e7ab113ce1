// expect: nothing
// Fused classifier: softmax, loss and dlogits in place, the vocabulary is padded; a block per position, last one first.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

struct SoftmaxParams {
    float Scale;
    float Offset;
};

template <typename F>
__device__ float blockReduce(float val, F warp_op, float out_of_bounds, bool final_sync = false) {
    __shared__ float shared_val[32];
    const int lane_id = threadIdx.x % 32, warp_id = threadIdx.x / 32, num_warps = blockDim.x / 32;
    for (int o = 16; o > 0; o >>= 1) val = warp_op(val, __shfl_xor_sync(0xFFFFFFFFu, val, o));
    if (lane_id == 0) shared_val[warp_id] = val;
    __syncthreads();
    val = (lane_id < num_warps) ? shared_val[lane_id] : out_of_bounds;
    for (int o = 16; o > 0; o >>= 1) val = warp_op(val, __shfl_xor_sync(0xFFFFFFFFu, val, o));
    if (final_sync) __syncthreads();
    return val;
}

__device__ SoftmaxParams prepare_softmax(int idx, const float* inp, int V, int P) {
    const float* x = inp + (size_t)idx * P;
    float thread_max = -INFINITY, thread_sum = 0.f;
    for (int i = V - 1 - (int)threadIdx.x; i >= 0; i -= blockDim.x) {
        float v = x[i], old = thread_max;
        thread_max = fmaxf(thread_max, v);
        thread_sum *= expf(old - thread_max);
        thread_sum += expf(v - thread_max);
    }
    float block_max = blockReduce(thread_max, [](float a, float b) { return fmaxf(a, b); }, -FLT_MAX, true);
    thread_sum *= expf(thread_max - block_max);
    float block_sum = blockReduce(thread_sum, [](float a, float b) { return a + b; }, 0.f);
    return SoftmaxParams{1.f / block_sum, block_max};
}

template <bool WriteLogits = true>
__global__ void fused_classifier(float* logits, float* losses, const float dloss, const int* targets, int B, int T, int V, int P) {
    int idx = gridDim.x - (blockIdx.x + 1);
    int ix = targets[idx];
    auto sp = prepare_softmax(idx, logits, V, P);
    if (threadIdx.x == 0) losses[idx] -= logf(expf(logits[idx * P + ix] - sp.Offset) * sp.Scale);
    __syncthreads();  // the target's logit is overwritten below by another thread
    if constexpr (WriteLogits) {
        for (int i = threadIdx.x; i < V; i += blockDim.x) {
            float prob = expf(logits[idx * P + i] - sp.Offset) * sp.Scale;
            float indicator = (i == ix) ? 1.0f : 0.0f;
            logits[idx * P + i] = (prob - indicator) * dloss;
        }
    }
}

int main() {
    const int B = 2, T = 9, V = 139, P = 144, N = B * T;
    std::vector<float> logits(N * P, NAN), got(N * P), losses(N, 0.f);
    std::vector<int> targets(N);
    for (int n = 0; n < N; n++) {
        for (int v = 0; v < V; v++) logits[n * P + v] = 4.f * std::sin(n * 3.1f + v * v * 0.01f);
        targets[n] = (n * 53) % V;
    }
    float *d_logits, *d_losses;
    int* d_targets;
    cudaMalloc(&d_logits, sizeof(float) * N * P);
    cudaMalloc(&d_losses, sizeof(float) * N);
    cudaMalloc(&d_targets, sizeof(int) * N);
    cudaMemcpy(d_logits, logits.data(), sizeof(float) * N * P, cudaMemcpyHostToDevice);
    cudaMemcpy(d_targets, targets.data(), sizeof(int) * N, cudaMemcpyHostToDevice);
    cudaMemset(d_losses, 0, sizeof(float) * N);
    fused_classifier<false><<<N, 128>>>(d_logits, d_losses, 1.f / N, d_targets, B, T, V, P);
    cudaMemset(d_losses, 0, sizeof(float) * N);
    fused_classifier<<<N, 128>>>(d_logits, d_losses, 1.f / N, d_targets, B, T, V, P);
    cudaMemcpy(got.data(), d_logits, sizeof(float) * N * P, cudaMemcpyDeviceToHost);
    cudaMemcpy(losses.data(), d_losses, sizeof(float) * N, cudaMemcpyDeviceToHost);
    cudaFree(d_logits), cudaFree(d_losses), cudaFree(d_targets);
    int bad = 0;
    for (int n = 0; n < N; n++) {
        double s = 0;
        for (int v = 0; v < V; v++) s += std::exp((double)logits[n * P + v]);
        bad += std::fabs(std::log(s) - logits[n * P + targets[n]] - losses[n]) > 1e-4;
        for (int v = 0; v < V; v++) {
            double want = (std::exp((double)logits[n * P + v]) / s - (v == targets[n])) / N;
            bad += std::fabs(want - got[n * P + v]) > 1e-5;
        }
    }
    if (bad) printf("%d differ\n", bad);
    return bad ? 1 : 0;
}
