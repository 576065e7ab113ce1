// verdict: CE | TLE | MLE | WA
// trick: A kernel with thousands of shared variables.
__global__ void crowded() { @REPEAT:14000:__shared__ int a;@ }
