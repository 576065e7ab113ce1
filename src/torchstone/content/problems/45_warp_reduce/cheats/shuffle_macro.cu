// over: good/atomic_per_block.cu
// verdict: CE
// en: Redefines the shuffle by a macro, so that another one does its work.
// zh: 用宏把 shuffle 改名，实际干活的是另一种交换。
@@
+#define __shfl_down_sync(mask, v, offset) __shfl_xor_sync(mask, v, offset)
+
 static __device__ unsigned rank_in_block() {
