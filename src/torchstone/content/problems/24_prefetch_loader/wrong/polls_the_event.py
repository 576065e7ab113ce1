# over: solution.py
# verdict: WA property
# group: hazard
# en: A loop around query() makes the host wait for the copy as synchronize() does, only with a
#     busy core.
# zh: 循环调用 query() 与 synchronize() 一样让主机等拷贝，只是忙等。
@@
-    compute.wait_event(copied)
+    while not copied.query():
+        pass
