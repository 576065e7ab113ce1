// verdict: TLE
// trick: An initialiser that does not end.
static int forever() {
    for (volatile int i = 0;; i++) {
    }
}
static const int never = forever();
