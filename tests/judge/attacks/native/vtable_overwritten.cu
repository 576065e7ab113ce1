// verdict: OOB | RTE | WA
// trick: It gives an object another table of functions, made of results.
struct Base {
    __device__ virtual float give() const { return 0.0f; }
};
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {
    Base base;
    *(void**)&base = out;
    out[0] = ((volatile Base*)&base) ? ((Base*)(void*)&base)->give() : 0.0f;
}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
