// Calls the kernels of problem 42 with the grid that the case has drawn.
#include "contract.h"
#include "launch.h"

namespace {

constexpr long long num_first = 8192;  // more than the threads of all blocks that run

// A number that is read at the beginning must not look like poison where it is written.
const float* sparse_input(judge::Call& call, const char* name, long long n) {
    float* const data = call.sparse<float>(name, n);
    cudaMemset(data, 0, num_first * sizeof(float));
    return data;
}

// How many of the first numbers of a poisoned buffer have been written.
long long count_strays(const float* buffer) {
    std::vector<uint32_t> bits(num_first);
    cudaMemcpy(bits.data(), buffer, num_first * sizeof(float), cudaMemcpyDeviceToHost);
    long long count = 0;
    for (const uint32_t each : bits) {
        count += each != 0xffffffff;
    }
    return count;
}

}  // namespace

void launch(judge::Call& call) {
    const auto grid = static_cast<unsigned>(call.integer("grid"));
    const auto block = static_cast<unsigned>(call.integer("block"));
    const long long n = call.integer("n"), nb = call.integer("nb");
    const auto alpha = static_cast<float>(call.real("alpha"));
    const bool is_sparse = call.has("sparse");
    const float* written = nullptr;
    cusim_run_last_blocks(is_sparse ? call.integer("sparse") : 0);
    if (call.is("forward")) {
        const bool in_place = call.has("in_place");
        float* const out = is_sparse  ? call.sparse<float>("out", n)
                           : in_place ? call.in_place<float>("out", "a")
                                      : call.output<float>("out");
        const float* const a = is_sparse  ? sparse_input(call, "a", n)
                               : in_place ? out
                                          : call.input<float>("a");
        add_forward<<<grid, block, 0, call.stream()>>>(a, call.input<float>("b"), out, alpha, n,
                                                       nb);
        written = out;
    } else {
        const float* const grad_out =
            is_sparse ? sparse_input(call, "grad_out", n) : call.input<float>("grad_out");
        float* const grad_a =
            is_sparse ? call.sparse<float>("grad_a", n) : call.output<float>("grad_a");
        add_backward<<<grid, block, 0, call.stream()>>>(
            grad_out, grad_a, call.zeros<float>("grad_b"), alpha, n, nb);
        written = grad_a;
    }
    if (is_sparse && cudaStreamSynchronize(call.stream()) == cudaSuccess) {
        call.returned("strays", count_strays(written));
    }
    call.finish();
}
