// over: good/counting_rank.cu
// verdict: RTE
// group: project
// en: A float4 wants an address that is a multiple of 16; a float pointer promises 4.
// zh: float4 要求地址是 16 的倍数；float 指针只保证 4 字节对齐。
@@
-    const float* q = quats + 4 * n;
+    const float4 quat = reinterpret_cast<const float4*>(quats)[n];
+    const float q[4] = {quat.x, quat.y, quat.z, quat.w};
