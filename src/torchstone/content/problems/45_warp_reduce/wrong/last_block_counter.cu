// over: good/last_block_fence.cu
// verdict: RACE
// group: small
// en: The counter has to be reset: the second call starts where the first ended.
// zh: 计数器要复位：否则第二次调用会从第一次结束的地方接着数。
@@
-        num_done = 0;
