// over: good/float4_where_aligned.cu
// verdict: RTE | OOB
// group: layout
// en: Each pointer has an alignment of its own: that one allows a float4 says nothing of the others.
// zh: 每个指针的对齐各不相同：一个能用 `float4`，不代表其余的也能用。
@@
-    const bool can_use_quads = is_aligned(a) && is_aligned(b) && is_aligned(out) && nb % 4 == 0;
+    const bool can_use_quads = is_aligned(a) && nb % 4 == 0;
@@
-    const bool can_copy_quads = is_aligned(grad_out) && is_aligned(grad_a);
+    const bool can_copy_quads = is_aligned(grad_out);
