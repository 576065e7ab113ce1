# over: solution.py
# verdict: WA property
# group: edge
# en: An unknown padding_mode must raise; here everything else counts as border.
# zh: 未知的 padding_mode 要报错；这里把其他一切都当作 border。
@@
-    if padding_mode not in ("zeros", "border", "reflection"):
+    if padding_mode is None:
