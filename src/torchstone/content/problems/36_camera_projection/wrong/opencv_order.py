# over: solution.py
# verdict: WA value
# group: sample
# en: The order of OpenCV is k1, k2, p1, p2, k3: the third radial term comes last.
# zh: OpenCV 的顺序是 k1, k2, p1, p2, k3：第三个径向系数排在最后。
@@
-    k1, k2, p1, p2, k3 = dist.unbind(-1)
+    k1, k2, k3, p1, p2 = dist.unbind(-1)
