// verdict: CE
// trick: An array of 1 GiB that is not zero, so that the object is as large.
__device__ int large[1 << 28] = {1};
