// over: good/atomic_per_block.cu
// verdict: RACE | HUNG
// group: warp
// en: A mask is a promise who will come; nobody has promised it for the other lanes.
// zh: mask 是对参与者的承诺：没有谁替其余的 lane 承诺过。
@@
-        const float other = __shfl_down_sync(mask, v, offset);
+        const float other = __shfl_down_sync(0xffffffffu, v, offset);
