namespace outer::inner { __global__ void put(int* x) { *x = 1; } template <class T> __global__ static void two(T* x) { *x = 2; } }
namespace { __global__ void hidden(int* x) { *x = 3; } }
static __global__ void three(int* x) { *x = 4; }
template <typename K, typename... A> void launch(K kernel, A... a) { kernel<<<1, 2>>>(a...); }
template <void (*Kernel)(int*)> void launch_fixed(int* p) { Kernel<<<1, 2>>>(p); }
template <auto Kernel> void launch_auto(int* p) { Kernel<<<1, 2>>>(p); }
struct Host {
    void (*member)(int*);
    int* p;
    void go() { member<<<1, 1>>>(p); EXPECT(*p == 4); *p = 0; this->member<<<1, 1>>>(p); EXPECT(*p == 4); }
};
void (*choose())(int*) { return three; }
int main() {
    int x = 0; int* p = &x; int n = 1;
    outer::inner::put<<<1, 1>>>(p); EXPECT(x == 1);
    ::outer::inner::two<int><<<1, 1>>>(p); EXPECT(x == 2); EXPECT_NAME("::outer::inner::two<int>");
    hidden<<<1, 1>>>(nullptr ? NULL : p); EXPECT(x == 3);
    using namespace outer::inner; put<<<1, 1>>>(p); EXPECT(x == 1);
    void (*table[2])(int*) = {three, hidden}; table[n >> 1]<<<1, 2>>>(p); EXPECT(x == 4);
    void (*fp)(int*) = hidden; fp<<<1, 2>>>(p); EXPECT(x == 3);
    (*fp)<<<1, 2>>>(p); if (n) (*table[0])<<<1, 1>>>(p); EXPECT(x == 4);
    (n ? fp : three)<<<1, 2>>>(p); EXPECT(x == 3);
    choose()<<<1, 1>>>(p); EXPECT(x == 4);
    auto lambda = [=](int g) { hidden<<<g, 1>>>(p); fp<<<g, 1>>>(p); }; lambda(1); EXPECT(x == 3);
    { auto three = two<int>; three<<<1, 1>>>(p); EXPECT(x == 2); }
    launch(three, p); EXPECT(x == 4); launch_fixed<hidden>(p); EXPECT(x == 3); launch_auto<three>(p); EXPECT(x == 4);
    Host h{three, p}; h.go(); Host* q = &h; q->member<<<1, 1>>>(p); h.member<<<1, 1>>>(p);
    (void)(1'000'000 >> 2);
    return num_failed;
}
