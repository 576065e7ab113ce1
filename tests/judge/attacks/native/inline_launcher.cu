// verdict: CE | FORBIDDEN_OP | WA
// trick: It defines the launcher as an inline function, of which the linker keeps the first.
namespace judge {
class Call;
}
inline void launch(judge::Call&) {}
void (*const keep)(judge::Call&) = launch;
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
