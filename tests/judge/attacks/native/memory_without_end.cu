// verdict: MLE | RTE | TLE
// trick: An initialiser takes 4 GiB and touches all of it.
static long take() {
    for (long taken = 0; taken < 4L << 30; taken += 64 << 20) {
        memset(malloc(64 << 20), 1, 64 << 20);
    }
    return 0;
}
static const long taken = take();
