// Calls the host entries of problem 43, which launch kernels of their own.
#include "contract.h"
#include "launch.h"

void launch(judge::Call& call) {
    const long long n = call.integer("n");
    const bool is_sparse = call.has("sparse"), in_place = call.has("in_place");
    const auto input = [&](const char* name) {
        return is_sparse ? call.sparse<float>(name, n) : call.input<float>(name);
    };
    const auto output = [&](const char* name, const char* begins_as) {
        return is_sparse  ? call.sparse<float>(name, n)
               : in_place ? call.in_place<float>(name, begins_as)
                          : call.output<float>(name);
    };
    if (call.is("forward")) {
        float* const y = output("y", "x");
        const float* const x = in_place ? y : input("x");
        call.entry([&] { return relu_forward(x, y, n, call.stream()); });
    } else {
        float* const grad_x = output("grad_x", "grad_y");
        const float* const grad_y = in_place ? grad_x : input("grad_y");
        const float* const y = input("y");
        call.entry([&] { return relu_backward(grad_y, y, grad_x, n, call.stream()); });
    }
    call.finish();
}
