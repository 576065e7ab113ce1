// over: good/counting_rank.cu
// verdict: OOB | RACE | UNINIT
// group: ties
// en: Equal depths would share a rank, and a place of the order stays empty: break ties by index.
// zh: 深度相同的会得到同一个名次，次序里就空出一个位置：相同时按下标排。
@@
-        rank += other < mine || (other == mine && i < n);
+        rank += other < mine;
