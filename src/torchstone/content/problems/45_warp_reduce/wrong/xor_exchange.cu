// over: good/atomic_per_block.cu
// verdict: WA property
// group: warp
// en: A butterfly gives every lane the sum, but it is no shuffle down, which was asked for.
// zh: 蝶式交换让每个 lane 都得到总和，但题目要求的是 shuffle down。
@@
-        const float other = __shfl_down_sync(mask, v, offset);
+        const float other = __shfl_xor_sync(mask, v, offset);
