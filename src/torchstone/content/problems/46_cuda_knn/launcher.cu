// Calls the host entry of problem 46, which launches kernels of its own.
#include "contract.h"
#include "launch.h"

void launch(judge::Call& call) {
    const auto size = [&](const char* name) { return static_cast<int>(call.integer(name)); };
    const float* const query = call.input<float>("query");
    const float* const ref = call.input<float>("ref");
    // Null where the case has none.
    const int* const query_len = call.input<int>("query_len");
    const int* const ref_len = call.input<int>("ref_len");
    float* const dist = call.output<float>("dist");
    int* const idx = call.output<int>("idx");
    call.entry([&] {
        return knn(query, ref, query_len, ref_len, size("B"), size("M"), size("N"), size("K"), dist,
                   idx, call.stream());
    });
    call.finish();
}
