// over: good/counting_rank.cu
// verdict: RTE
// group: small
// en: A float2 wants an address that is a multiple of 8; a float pointer promises 4.
// zh: float2 要求地址是 8 的倍数；float 指针只保证 4 字节对齐。
@@
-            places[thread] = make_float4(xy[2 * n], xy[2 * n + 1], radius[n], opacity[n]);
+            const float2 at = reinterpret_cast<const float2*>(xy)[n];
+            places[thread] = make_float4(at.x, at.y, radius[n], opacity[n]);
