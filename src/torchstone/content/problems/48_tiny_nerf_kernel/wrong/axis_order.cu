// over: good/ray_per_thread.cu
// verdict: WA value
// group: sample
// en: The lattice is indexed [z][y][x]: x runs fastest.
// zh: 格点按 [z][y][x] 排列：x 变化最快。
@@
-    return (static_cast<long long>(z) * G + y) * G + x;
+    return (static_cast<long long>(x) * G + y) * G + z;
