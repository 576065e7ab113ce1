# over: solution.py
# verdict: WA property
# group: small
# en: Each block is a segment of its own whatever is asked for: n inputs stay alive, so memory
#   grows with the depth again.
# zh: 不管要求几段，总是每个 block 自成一段：要留住 n 份输入，内存又随深度线性增长。
@@
-    segments = split(blocks, min(num_segments, len(blocks)))
+    segments = split(blocks, len(blocks))
