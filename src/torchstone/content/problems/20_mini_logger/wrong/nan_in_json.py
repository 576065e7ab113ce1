# over: solution.py
# verdict: WA property
# group: nonfinite
# en: `json.dumps` writes NaN by default, which is not JSON: strict readers fail.
# zh: json.dumps 默认会写出 NaN，这不是合法的 JSON，严格的读取端会失败。
@@
-        stream.write(json.dumps(record, allow_nan=False) + "\n")
+        stream.write(json.dumps(record) + "\n")
@@
-            "last": values[-1] if math.isfinite(values[-1]) else None,
+            "last": values[-1],
