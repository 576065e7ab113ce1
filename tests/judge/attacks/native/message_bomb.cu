// verdict: CE
// trick: A name of a type so long that the message about it fills the memory.
template <class A, class B>
struct Pair {};
template <int depth>
struct Deep {
    using type = Pair<typename Deep<depth - 1>::type, typename Deep<depth - 1>::type>;
};
template <>
struct Deep<0> {
    using type = int;
};
static int wrong = Deep<22>::type().member;
