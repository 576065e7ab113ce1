// over: good/atomic_per_block.cu
// verdict: WA value
// group: block
// en: Lanes that do not exist contribute garbage: the mask of the last, partial warp is not full.
// zh: 不存在的 lane 会带来垃圾值：最后一个不满的 warp，mask 不能写成全 1。
@@
-    const unsigned in_warp = min(32u, block_size() - 32 * warp);
-    const unsigned mask = 0xffffffffu >> (32 - in_warp);
+    const unsigned mask = 0xffffffffu;
