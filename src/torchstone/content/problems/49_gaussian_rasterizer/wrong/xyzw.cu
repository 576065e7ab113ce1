// over: good/counting_rank.cu
// verdict: WA value
// group: project
// en: The quaternion is stored as (w, x, y, z): the real part comes first.
// zh: 四元数按 (w, x, y, z) 存放，实部在最前。
@@
-    const float qw = q[0] / norm, qx = q[1] / norm, qy = q[2] / norm, qz = q[3] / norm;
+    const float qx = q[0] / norm, qy = q[1] / norm, qz = q[2] / norm, qw = q[3] / norm;
