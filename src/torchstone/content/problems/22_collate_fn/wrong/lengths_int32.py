# over: solution.py
# verdict: WA dtype
# group: sample
# en: Lengths are int64, as `pack_padded_sequence` wants them.
# zh: lengths 应为 int64，pack_padded_sequence 要的就是它。
@@
-    return {"data": data, "lengths": lengths, "mask": mask}
+    return {"data": data, "lengths": lengths.int(), "mask": mask}
