# over: solution.py
# verdict: WA property
# group: hazard
# en: The host stands still during the copy; let the compute stream wait instead of the host.
# zh: 主机在等拷贝；应让计算流等待事件，而不是让主机等待。
@@
-    compute.wait_event(copied)
+    copied.synchronize()
