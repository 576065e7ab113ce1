# over: solution.py
# verdict: WA property
# group: random
# en: Each process salts the hash of a text: after a restart the order is another one.
# zh: 字符串的 hash 在每个进程里加盐不同：重启之后顺序就变了。
@@
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    random.Random(hash(("order", seed, epoch))).shuffle(order)
