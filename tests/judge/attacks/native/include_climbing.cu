// verdict: CE
// trick: An allowed header with a way out of its folder behind it.
#include <cuda_runtime.h/../../../../../../../../@SECRET@>
