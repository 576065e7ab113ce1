// verdict: CE
// trick: A template that needs itself.
template <int n>
struct Deep {
    static constexpr int value = Deep<n + 1>::value;
};
static const int value = Deep<0>::value;
