# over: solution.py
# verdict: WA property
# group: raises
# en: A RuntimeError of the first run was replaced by another text; exceptions pass through as they are.
# zh: 第一次执行时的 RuntimeError 换了内容；异常应原样传出。
@@
-        return fn(*args)  # inside forward no graph is recorded
+        try:
+            return fn(*args)  # inside forward no graph is recorded
+        except RuntimeError as error:
+            raise RuntimeError("checkpoint: the function failed") from error
 
