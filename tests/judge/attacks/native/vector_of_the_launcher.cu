// verdict: CE | FORBIDDEN_OP | WA
// trick: It defines a function of the launcher's std::vector by its mangled name.
namespace std {
template <class T>
class allocator;
template <class T, class A>
class vector {
   public:
    template <class... Any>
    void _M_realloc_insert(Any...);
};
}  // namespace std
namespace judge {
struct Call {
    struct Held {};
};
}  // namespace judge
extern "C" void _ZNSt6vectorIN5judge4Call4HeldESaIS2_EE17_M_realloc_insertIJS2_EEEvN9__gnu_cxx17__n\
ormal_iteratorIPS2_S4_EEDpOT_() {}
extern "C" __global__ void add_forward(const float* a, const float* b, float* out, float alpha,
                                       long long n, long long nb) {}
extern "C" __global__ void add_backward(const float* grad_out, float* grad_a, float* grad_b,
                                        float alpha, long long n, long long nb) {}
