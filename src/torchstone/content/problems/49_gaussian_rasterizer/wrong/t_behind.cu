// over: good/counting_rank.cu
// verdict: WA grad
// group: grad
// en: T in front of a Gaussian is wanted: recover it by dividing, before it is used.
// zh: 要的是该高斯前面的 T：先除回去，再使用。
@@
-        T /= 1 - alpha;
@@
         behind += weight * dot;
+        T /= 1 - alpha;
