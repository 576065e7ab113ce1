# over: solution.py
# verdict: WA value
# group: rmsprop
# en: RMSprop corrects no bias; its first step is lr / √(1 − α) times the sign.
# zh: RMSprop 不做偏差校正，第一步就是 lr / √(1 − α) 乘符号。
@@
-        direction = grad / square.sqrt().add_(group["eps"])
+        direction = grad / (square / (1 - alpha ** state["step"])).sqrt().add_(group["eps"])
