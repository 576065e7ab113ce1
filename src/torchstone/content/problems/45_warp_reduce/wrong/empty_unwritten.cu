// over: good/atomic_per_block.cu
// verdict: WA value
// group: edge
// en: The sum of nothing is 0, and somebody has to write it.
// zh: 没有元素时和是 0，这个 0 也要有人写。
@@
-    cudaMemsetAsync(out, 0, sizeof(float), stream);
     if (n == 0) {
-        return cudaGetLastError();
+        return cudaSuccess;
     }
+    cudaMemsetAsync(out, 0, sizeof(float), stream);
