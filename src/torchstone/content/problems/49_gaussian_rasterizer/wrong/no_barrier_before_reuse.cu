// over: good/counting_rank.cu
// verdict: RACE
// group: batch
// en: Wait until everyone has read a batch before the next one is written over it.
// zh: 要等所有线程读完这一批，才能用下一批覆盖它。
@@
-        // Nobody may leave alone, and nobody overwrites a batch that is still being read.
-        if (__syncthreads_count(is_done) == batch_size) {
-            break;
-        }
