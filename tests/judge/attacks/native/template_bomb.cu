// verdict: CE
// trick: Each instance of a template needs two others.
template <int depth, long long path>
struct Wide {
    static constexpr long long value =
        Wide<depth - 1, path * 2>::value ^ Wide<depth - 1, path * 2 + 1>::value;
};
template <long long path>
struct Wide<0, path> {
    static constexpr long long value = path;
};
static const long long value = Wide<40, 1>::value;
