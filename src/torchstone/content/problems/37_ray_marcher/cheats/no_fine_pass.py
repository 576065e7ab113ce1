# over: solution.py
# verdict: WA value | WA property
# group: sample
# en: More equal bins in place of a second look; it calls the field once.
# zh: 用更多等宽区间代替第二次查询，field 只调用一次。
@@
-    with torch.no_grad():
-        t = stratified_samples(near, far, num_coarse, u_coarse)
-        if num_fine > 0:
+    with torch.no_grad():
+        t = stratified_samples(near, far, num_coarse, u_coarse)
+        if num_fine > 0:
+            t = stratified_samples(near, far, num_coarse + num_fine)
+        if num_fine > 10**6:
