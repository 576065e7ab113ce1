// over: good/last_block_fence.cu
// verdict: RACE
// group: small
// en: Without __threadfence() the counter may be seen before the partial sum that it announces.
// zh: 没有 `__threadfence()`，别的线程块可能先看到计数器，后看到它所宣告的部分和。
@@
-        __threadfence();
