// over: good/ray_per_thread.cu
// verdict: WA value
// group: sample
// en: Outside of the cube is nothing; it is not its surface, repeated for ever.
// zh: 立方体之外是空的，而不是把表面无限延伸出去。
@@
-        if (fabsf(p[axis]) > 1.0f) {
-            return sample;
-        }
+        p[axis] = fminf(fmaxf(p[axis], -1.0f), 1.0f);
