// over: good/atomic_per_block.cu
// verdict: UNINIT
// group: block
// en: There are only as many partial sums as warps; the others were never written.
// zh: 有几个 warp 才有几个部分和：其余的从未写过。
@@
-    const unsigned num_warps = (block_size() + 31) / 32;
@@
-        v = warp_sum(lane < num_warps ? sums[lane] : 0.0f, mask);
+        v = warp_sum(sums[lane], mask);
