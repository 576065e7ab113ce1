// over: solution.cu
// verdict: INPUT_MUTATED
// group: sample
// en: x is only an input: compute in y, not in the memory of the caller.
// zh: x 只作输入：应当在 y 里计算，不能动调用者的内存。
@@
-    forward_kernel<<<num_blocks_for(split), num_threads, 0, stream>>>(x, y, split);
+    float* const at = const_cast<float*>(x);
+    forward_kernel<<<num_blocks_for(split), num_threads, 0, stream>>>(x, at, split);
+    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
