// over: good/counting_rank.cu
// verdict: WA value
// group: edge
// en: Without Gaussians the image is the background, and somebody has to write it.
// zh: 没有高斯时图像就是背景，背景也要有人写。
@@
-    if (N > 0) {
-        rank_kernel<<<num_blocks_for(N), 256, 0, stream>>>(depth, N, order);
-    }
+    if (N == 0) {
+        return cudaSuccess;
+    }
+    rank_kernel<<<num_blocks_for(N), 256, 0, stream>>>(depth, N, order);
