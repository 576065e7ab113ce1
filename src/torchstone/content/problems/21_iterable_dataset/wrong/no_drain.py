# over: solution.py
# verdict: WA property
# group: small
# en: When the source ends, B items are still in the buffer; they belong to the epoch.
# zh: 数据源结束时缓冲区里还有 B 个样本，它们也属于这一轮。
@@
-    rng.shuffle(buffer)
-    yield from buffer
