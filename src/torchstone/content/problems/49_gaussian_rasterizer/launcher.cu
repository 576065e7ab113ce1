// Calls the host entries of problem 49, and looks whether they give their scratch memory back.
#include "contract.h"
#include "launch.h"

namespace {

long long num_free_bytes() {
    size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    return static_cast<long long>(free);
}

// A stream that has been destroyed: on it no launch succeeds.
cudaStream_t ended_stream() {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    return stream;
}

// Every buffer of the launcher is there before `function` is called.
template <class F>
void enter(judge::Call& call, F function) {
    if (call.has("stream_has_ended")) {
        call.returned("status", function(ended_stream()));
        cudaGetLastError();  // who has only peeked at the error has left it there
        return;
    }
    const long long before = num_free_bytes();
    call.entry([&] { return function(call.stream()); });
    // Scratch of a stream is free when the stream has come so far.
    cudaStreamSynchronize(call.stream());
    call.returned("kept_bytes", before - num_free_bytes());
}

void project(judge::Call& call, int N) {
    const float* const means = call.input<float>("means");
    const float* const scales = call.input<float>("scales");
    const float* const quats = call.input<float>("quats");
    const float* const view = call.input<float>("view");
    const auto fx = static_cast<float>(call.real("fx")), fy = static_cast<float>(call.real("fy"));
    const auto cx = static_cast<float>(call.real("cx")), cy = static_cast<float>(call.real("cy"));
    float* const xy = call.output<float>("xy");
    float* const depth = call.output<float>("depth");
    float* const conic = call.output<float>("conic");
    float* const radius = call.output<float>("radius");
    enter(call, [&](cudaStream_t stream) {
        return gs_project(means, scales, quats, view, fx, fy, cx, cy, N, xy, depth, conic, radius,
                          stream);
    });
}

// What the forward and the backward read alike.
struct Gaussians {
    const float *xy, *conic, *radius, *opacity, *color, *bg;

    explicit Gaussians(judge::Call& call)
        : xy(call.input<float>("xy")),
          conic(call.input<float>("conic")),
          radius(call.input<float>("radius")),
          opacity(call.input<float>("opacity")),
          color(call.input<float>("color")),
          bg(call.input<float>("bg")) {}
};

void forward(judge::Call& call, int N, int W, int H) {
    const Gaussians g(call);
    const float* const depth = call.input<float>("depth");
    float* const image = call.output<float>("image");
    float* const final_T = call.output<float>("final_T");
    int* const n_last = call.output<int>("n_last");
    int* const order = call.output<int>("order");
    enter(call, [&](cudaStream_t stream) {
        return gs_forward(g.xy, depth, g.conic, g.radius, g.opacity, g.color, g.bg, N, W, H, image,
                          final_T, n_last, order, stream);
    });
}

void backward(judge::Call& call, int N, int W, int H) {
    const Gaussians g(call);
    const float* const grad_image = call.input<float>("grad_image");
    const int* const order = call.input<int>("order");
    const float* const final_T = call.input<float>("final_T");
    const int* const n_last = call.input<int>("n_last");
    float* const grad_xy = call.output<float>("grad_xy");
    float* const grad_conic = call.output<float>("grad_conic");
    float* const grad_opacity = call.output<float>("grad_opacity");
    float* const grad_color = call.output<float>("grad_color");
    enter(call, [&](cudaStream_t stream) {
        return gs_backward(grad_image, g.xy, g.conic, g.radius, g.opacity, g.color, g.bg, order,
                           final_T, n_last, N, W, H, grad_xy, grad_conic, grad_opacity, grad_color,
                           stream);
    });
}

}  // namespace

void launch(judge::Call& call) {
    const int N = static_cast<int>(call.integer("N"));
    if (call.is("project")) {
        project(call, N);
    } else {
        const int W = static_cast<int>(call.integer("W")), H = static_cast<int>(call.integer("H"));
        call.is("forward") ? forward(call, N, W, H) : backward(call, N, W, H);
    }
    call.finish();
}
