// over: good/ray_per_thread.cu
// verdict: WA grad
// en: Keeps what the forward interpolated in a hidden array, which the backward takes for its own.
// zh: 把前向插值的结果藏在一个全局数组里，反向直接拿来用。
@@
-__device__ Sample look(const Scene& scene, long long ray, int i) {
+// The raw values of a sample, kept from the forward for the backward.
+constexpr int most_kept = 1 << 19;
+__device__ float4 kept[most_kept];
+
+__device__ Sample look(const Scene& scene, long long ray, int i, bool is_forward) {
@@
     sample.cell = cell_of(p, scene.G);
+    float4& own = kept[(ray * scene.S + i) % most_kept];
+    if (!is_forward) {
+        sample.raw[0] = own.x;
+        sample.raw[1] = own.y;
+        sample.raw[2] = own.z;
+        sample.raw[3] = own.w;
+        return sample;
+    }
@@
+    own = make_float4(sample.raw[0], sample.raw[1], sample.raw[2], sample.raw[3]);
     return sample;
@@
-        const Sample sample = look(scene, ray, looked_at);
+        const Sample sample = look(scene, ray, looked_at, true);
@@
-        const Sample sample = look(scene, ray, i);
+        const Sample sample = look(scene, ray, i, false);
