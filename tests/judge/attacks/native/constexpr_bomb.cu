// verdict: CE
// trick: A constant that takes for ever to compute.
constexpr long long slow(int n) { return n < 2 ? n : slow(n - 1) + slow(n - 2); }
constexpr long long number = slow(90);
