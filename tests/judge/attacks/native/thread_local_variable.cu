// verdict: CE
// trick: A variable of each thread of the host.
thread_local int mine;
