// over: good/classic.cu
// verdict: RTE
// group: sample
// en: The compiler gives a block 48 KiB of static shared memory; more is dynamic, and asked for.
// zh: 编译器最多给线程块 48 KiB 静态共享内存；更多的要动态分配，并先申请。
@@
-    __shared__ float a[T][T], b[T][T];
+    __shared__ float a[T][512], b[T][512];
