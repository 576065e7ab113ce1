// over: solution.cu
// verdict: WA value
// group: inplace
// en: y may be x: whoever clears the output first has cleared the input as well.
// zh: y 可能就是 x：先把输出清零，输入也就一起清掉了。
@@
     const Split split = split_at(phase, phase == phase_of(y), n);
+    cudaMemsetAsync(y, 0, n * sizeof(float), stream);
