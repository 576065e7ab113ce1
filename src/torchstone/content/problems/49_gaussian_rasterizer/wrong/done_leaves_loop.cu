// over: good/counting_rank.cu
// verdict: RACE
// group: dense
// en: A pixel that is finished must not leave alone: leave together, by __syncthreads_count.
// zh: 像素算完了也不能独自离开：用 `__syncthreads_count` 一起离开。
@@
-        // Nobody may leave alone, and nobody overwrites a batch that is still being read.
-        if (__syncthreads_count(is_done) == batch_size) {
+        if (is_inside && is_done) {
             break;
         }
+        __syncthreads();
