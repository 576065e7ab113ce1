// over: good/counting_rank.cu
// verdict: WA value
// group: dense
// en: The Gaussian that would make T < 1e-4 is left out, and everything behind it.
// zh: 会使 T 低于 1e-4 的那个高斯不计入，它后面的也都不计。
@@
-            if (T_behind < 1e-4f) {
-                is_done = true;
-                break;
-            }
@@
             last = first + i + 1;
+            is_done = T < 1e-4f;
