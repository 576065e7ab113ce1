// over: good/classic.cu
// verdict: RACE
// group: small
// en: Every thread of the block must reach every barrier, and load its part of the tiles.
// zh: 块内每个线程都要到达每一次屏障，并加载自己那一份瓦片。
@@
     const int row = blockIdx.x * T + y, col = blockIdx.y * T + x;
+    if (row >= M || col >= N) {
+        return;
+    }
