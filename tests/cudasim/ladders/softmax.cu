// Steps of a softmax over rows, the columns a multiple of 128. A thread for each row; a block for
// each row, in three passes, with trees in shared memory; maximum and sum in one pass, by shuffles;
// a warp for each row, which it keeps in registers, with 16 bytes by each load.
extern "C" __global__ void row_by_thread(const float* in, float* out, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    in += row * columns;
    out += row * columns;
    float most = -INFINITY, sum = 0;
    for (int i = 0; i < columns; i++) most = fmaxf(most, in[i]);
    for (int i = 0; i < columns; i++) sum += expf(in[i] - most);
    for (int i = 0; i < columns; i++) out[i] = expf(in[i] - most) / sum;
}

template <class F>
__device__ float combine_in_tree(float* part, float mine, F combine) {
    part[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] = combine(part[threadIdx.x], part[threadIdx.x + s]);
        __syncthreads();
    }
    float all = part[0];
    __syncthreads();
    return all;
}

extern "C" __global__ void row_by_block(const float* in, float* out, int rows, int columns) {
    __shared__ float part[128];
    in += blockIdx.x * columns;
    out += blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, in[i]);
    most = combine_in_tree(part, most, [](float a, float b) { return fmaxf(a, b); });
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(in[i] - most);
    sum = combine_in_tree(part, sum, [](float a, float b) { return a + b; });
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[i] = expf(in[i] - most) / sum;
}

__device__ void join(float& most, float& sum, float other_most, float other_sum) {
    float both = fmaxf(most, other_most);
    // Where nothing was seen yet, there is nothing to scale.
    sum = (sum == 0 ? 0 : sum * expf(most - both)) +
          (other_sum == 0 ? 0 : other_sum * expf(other_most - both));
    most = both;
}

extern "C" __global__ void online(const float* in, float* out, int rows, int columns) {
    __shared__ float mosts[4], sums[4];
    in += blockIdx.x * columns;
    out += blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) join(most, sum, in[i], 1);
    for (int s = 16; s > 0; s /= 2) {
        float other_most = __shfl_xor_sync(0xffffffffu, most, s);
        join(most, sum, other_most, __shfl_xor_sync(0xffffffffu, sum, s));
    }
    if (threadIdx.x % 32 == 0) {
        mosts[threadIdx.x / 32] = most;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    most = mosts[0];
    sum = sums[0];
    for (int i = 1; i < 4; i++) join(most, sum, mosts[i], sums[i]);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[i] = expf(in[i] - most) / sum;
}

extern "C" __global__ void row_by_warp(const float* in, float* out, int rows, int columns) {
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float4* from = reinterpret_cast<const float4*>(in + row * columns);
    float4* to = reinterpret_cast<float4*>(out + row * columns);
    float4 kept[8];
    float most = -INFINITY, sum = 0;
    for (int i = 0; i * 128 < columns; i++) {
        kept[i] = from[i * 32 + lane];
        most = fmaxf(most, fmaxf(fmaxf(kept[i].x, kept[i].y), fmaxf(kept[i].z, kept[i].w)));
    }
    for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, s));
    for (int i = 0; i * 128 < columns; i++) {
        kept[i] = make_float4(expf(kept[i].x - most), expf(kept[i].y - most),
                              expf(kept[i].z - most), expf(kept[i].w - most));
        sum += kept[i].x + kept[i].y + kept[i].z + kept[i].w;
    }
    for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, s);
    for (int i = 0; i * 128 < columns; i++) {
        to[i * 32 + lane] = make_float4(kept[i].x / sum, kept[i].y / sum, kept[i].z / sum,
                                        kept[i].w / sum);
    }
}
