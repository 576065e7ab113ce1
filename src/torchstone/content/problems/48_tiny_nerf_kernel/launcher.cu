// Calls the host entries of problem 48, which launch kernels of their own.
#include "contract.h"
#include "launch.h"

namespace {

// A stream that has been destroyed: on it no launch succeeds.
cudaStream_t ended_stream() {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    return stream;
}

// Calls an entry on the stream of the call, or on one that has ended.
template <class F>
void enter(judge::Call& call, F entry) {
    if (call.has("stream_has_ended")) {
        call.returned("status", entry(ended_stream()));
        cudaGetLastError();  // who has only peeked at the error has left it there
    } else {
        call.entry([&] { return entry(call.stream()); });
    }
}

}  // namespace

void launch(judge::Call& call) {
    const int R = static_cast<int>(call.integer("R")), G = static_cast<int>(call.integer("G"));
    const int S = static_cast<int>(call.integer("S"));
    const float t_near = static_cast<float>(call.real("t_near"));
    const float dt = static_cast<float>(call.real("dt"));
    const float T_min = static_cast<float>(call.real("T_min"));
    const float* const rays_o = call.input<float>("rays_o");
    const float* const rays_d = call.input<float>("rays_d");
    const float* const field = call.input<float>("field");
    const float* const bg = call.input<float>("bg");
    if (call.is("forward")) {
        float* const rgb = call.output<float>("rgb");
        float* const depth = call.output<float>("depth");
        float* const opacity = call.output<float>("opacity");
        int* const steps = call.output<int>("steps");
        enter(call, [&](cudaStream_t stream) {
            return nerf_forward(rays_o, rays_d, R, field, G, t_near, dt, S, T_min, bg, rgb, depth,
                                opacity, steps, stream);
        });
    } else {
        const float* const grad_rgb = call.input<float>("grad_rgb");
        // Null where the case has none.
        const float* const grad_depth = call.input<float>("grad_depth");
        const float* const grad_opacity = call.input<float>("grad_opacity");
        const float* const rgb = call.input<float>("rgb");
        const float* const depth = call.input<float>("depth");
        const float* const opacity = call.input<float>("opacity");
        const int* const steps = call.input<int>("steps");
        float* const grad_field = call.output<float>("grad_field");
        enter(call, [&](cudaStream_t stream) {
            return nerf_backward(grad_rgb, grad_depth, grad_opacity, rays_o, rays_d, R, field, G,
                                 t_near, dt, S, T_min, bg, rgb, depth, opacity, steps, grad_field,
                                 stream);
        });
    }
    call.finish();
}
