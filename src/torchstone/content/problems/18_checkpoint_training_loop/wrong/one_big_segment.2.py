# over: solution.py
# verdict: WA property
# group: memory
# en: Everything is one checkpoint, so the recomputation brings all activations back at once;
#   about √n segments need the least memory.
# zh: 全部 block 放进一个检查点，重算时所有激活值同时回来；分成约 √n 段占用最少。
@@
-    segments = split(blocks, min(num_segments, len(blocks)))
+    segments = split(blocks, 1)
@@
-        for segment in segments:
-            h = checkpoint(run, segment, h)
+        h = run(segments[0], h)
