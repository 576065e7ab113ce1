# over: solution.py
# verdict: WA property | RTE
# en: A thread writes the line after `log` has returned: `log` is fast, and the last line is lost.
# zh: 由线程在 log 返回之后写行：log 是快了，最后一行却会丢。
@@
 import sys
+import threading
@@
-        stream.write(json.dumps(record, allow_nan=False) + "\n")
-        stream.flush()
+        line = json.dumps(record, allow_nan=False) + "\n"
+        threading.Thread(target=write_later, args=(stream, line), daemon=True).start()
@@
+
+
+def write_later(stream, line: str) -> None:
+    time.sleep(0.001)
+    stream.write(line)
+    stream.flush()


 def snapshot(name: str, value) -> float | Tensor:
