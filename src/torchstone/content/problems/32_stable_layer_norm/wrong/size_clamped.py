# over: solution.py
# verdict: WA value
# group: scale
# en: A clamp at 1e-12 makes smaller rows constant, although eps is 0.
# zh: 把尺度截到 1e-12，更小的行就被当成常数，而 eps 明明是 0。
@@
-    size = size.clamp(min=root)
+    size = size.clamp(min=max(root, 1e-12))
