# over: solution.py
# verdict: WA value | WA property
# group: small
# en: Every segment gets n // k blocks, and the blocks that are left over never run; the
#   remainder must be spread over the segments.
# zh: 每段恰好 n // k 个 block，剩下的 block 从不执行；余数必须分到各段。
@@
-    size, rest = divmod(len(blocks), num_segments)
+    size, _rest = divmod(len(blocks), num_segments)
@@
-        end = start + size + (number < rest)
+        end = start + size if number + 1 < num_segments else len(blocks)
