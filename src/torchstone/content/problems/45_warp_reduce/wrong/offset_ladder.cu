// over: good/atomic_per_block.cu
// verdict: WA value
// group: sample
// en: 32 lanes need the offsets 16, 8, 4, 2, 1; from 8 on the upper half never comes down.
// zh: 32 个 lane 需要 16、8、4、2、1；从 8 开始，上半部分永远加不进来。
@@
-    for (int offset = 16; offset > 0; offset /= 2) {
+    for (int offset = 8; offset > 0; offset /= 2) {
