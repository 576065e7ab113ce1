// Launches the attention kernels for all types and head sizes.
#include "flash_attention.cuh"

#include <climits>
#include <initializer_list>

#include "launch.cuh"

using namespace torchstone::cuda;

namespace {

// Calls function(Constant<head_dim>) with the head size of the tiles.
template <typename Function>
cudaError_t with_head_dim(int64_t head_dim, Function function) {
    if (head_dim <= 32) return function(Constant<32>{});
    if (head_dim <= 64) return function(Constant<64>{});
    if (head_dim <= 128) return function(Constant<128>{});
    if (head_dim <= 256) return function(Constant<256>{});
    return cudaErrorInvalidValue;
}

// Whether the packs of given tensors, of as many elements as are 16 bytes in the compute type, are
// aligned.
template <typename T>
bool are_aligned(int64_t head_dim, std::initializer_list<const View*> views) {
    constexpr int64_t per_pack = 16 / sizeof(Compute<T>), bytes = per_pack * sizeof(T);
    bool result = head_dim % per_pack == 0;
    for (const View* const view : views) {
        result = result && reinterpret_cast<uintptr_t>(view->data) % bytes == 0;
        for (const int64_t stride : {view->batch, view->head, view->place}) {
            result = result && stride % per_pack == 0;
        }
    }
    return result;
}

cudaError_t launch(void (*kernel)(Attention), int64_t num_blocks, int num_threads, int bytes,
                   const Attention& all, cudaStream_t stream) {
    if (num_blocks == 0) return cudaSuccess;
    if (num_blocks > INT_MAX) return cudaErrorInvalidConfiguration;
    // More than 48 KiB of shared memory must be requested explicitly.
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) !=
        cudaSuccess) {
        return cudaGetLastError();
    }
    kernel<<<static_cast<unsigned>(num_blocks), num_threads, bytes, stream>>>(all);
    return cudaGetLastError();
}

}  // namespace

// Writes out and lse.
extern "C" cudaError_t torchstone_flash_attention(int type, const Attention* given,
                                                  cudaStream_t stream) {
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        Attention all = *given;
        all.is_aligned =
            are_aligned<T>(all.head_dim, {&all.query, &all.key, &all.value, &all.out});
        return with_head_dim(all.head_dim, [&]<int head_dim>(Constant<head_dim>) {
            using S = Sizes<Compute<T>, head_dim>;
            const int64_t num_blocks =
                divide_up(all.max_q, S::num_rows) * all.num_heads * all.num_sequences;
            return launch(flash_attention_kernel<T, head_dim>, num_blocks, S::num_threads,
                          forward_bytes<S>(), all, stream);
        });
    });
}

// Writes grad_query, grad_key, grad_value, and the intermediate delta.
extern "C" cudaError_t torchstone_flash_attention_backward(int type, const Attention* given,
                                                           cudaStream_t stream) {
    return with_type(type, [&](auto t) {
        using T = decltype(t);
        Attention all = *given;
        all.is_aligned = are_aligned<T>(
            all.head_dim, {&all.query, &all.key, &all.value, &all.grad, &all.grad_query,
                           &all.grad_key, &all.grad_value});
        const int num_threads = 128;
        const int64_t num_rows = all.num_batches * all.num_heads * all.num_queries;
        const cudaError_t error = launch(attention_delta_kernel<T>,
                                         divide_up(num_rows, num_threads / warp_size), num_threads,
                                         0, all, stream);
        if (error != cudaSuccess) return error;
        return with_head_dim(all.head_dim, [&]<int head_dim>(Constant<head_dim>) {
            using S = Sizes<Compute<T>, head_dim>;
            const int64_t key_blocks =
                divide_up(all.max_k, S::num_rows) * all.num_key_heads * all.num_sequences;
            const int64_t query_blocks =
                divide_up(all.max_q, S::num_rows) * all.num_heads * all.num_sequences;
            const cudaError_t of_keys =
                launch(attention_key_gradient_kernel<T, head_dim>, key_blocks, S::num_threads,
                       backward_bytes<S>(), all, stream);
            if (of_keys != cudaSuccess) return of_keys;
            return launch(attention_query_gradient_kernel<T, head_dim>, query_blocks,
                          S::num_threads, backward_bytes<S>(), all, stream);
        });
    });
}
