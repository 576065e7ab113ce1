// over: good/counting_rank.cu
// verdict: WA value
// group: project
// en: A quaternion is a rotation only after it has been divided by its norm.
// zh: 四元数要先除以模长，才表示旋转。
@@
-    const float norm = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
-    const float qw = q[0] / norm, qx = q[1] / norm, qy = q[2] / norm, qz = q[3] / norm;
+    const float qw = q[0], qx = q[1], qy = q[2], qz = q[3];
