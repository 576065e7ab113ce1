// The operators of cooperative_groups for reductions and scans.
#pragma once

namespace cooperative_groups {

#define CUSIM_OPERATOR(NAME, EXPRESSION)                                   \
    template <class T>                                                     \
    struct NAME {                                                          \
        CUSIM_INLINE T operator()(const T& a, const T& b) const {          \
            return static_cast<T>(EXPRESSION);                             \
        }                                                                  \
    };
CUSIM_OPERATOR(plus, a + b)
CUSIM_OPERATOR(less, b < a ? b : a)
CUSIM_OPERATOR(greater, a < b ? b : a)
CUSIM_OPERATOR(bit_and, a& b)
CUSIM_OPERATOR(bit_or, a | b)
CUSIM_OPERATOR(bit_xor, a ^ b)
#undef CUSIM_OPERATOR

}  // namespace cooperative_groups
