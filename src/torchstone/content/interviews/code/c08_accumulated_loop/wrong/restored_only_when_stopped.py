# over: solution.py
# verdict: WA value
# group: small
# en: The best state comes back also if all epochs were run.
# zh: 就算训练满了全部轮次，也要恢复最好的状态。
@@
-    if best_state:
+    if history["stopped"]:
