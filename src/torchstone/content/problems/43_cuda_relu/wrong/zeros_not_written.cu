// over: good/mostly_idle_blocks.cu
// verdict: WA value
// group: sample
// en: The output is not zeroed before the call: a 0 has to be written like any other result.
// zh: 输出在调用之前没有清零：0 也要像别的结果一样写出来。
@@
-        y[i] = x[i] < 0.0f ? 0.0f : x[i];
+        if (!(x[i] < 0.0f)) {
+            y[i] = x[i];
+        }
