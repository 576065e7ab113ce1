# over: solution.py
# verdict: WA property
# group: damage
# en: It relies on torch.load to notice damage; that does not verify checksums, and a
#     flipped bit is loaded silently.
# zh: 指望 torch.load 发现损坏；它不校验 CRC，翻转的一位会被悄悄读入。
@@
-            file.write(hashlib.sha256(data).digest())
@@
-            if hashlib.sha256(data).digest() == digest:
-                return step, torch.load(io.BytesIO(data), weights_only=False)
+            try:
+                return step, torch.load(io.BytesIO(digest + data), weights_only=False)
+            except Exception:  # noqa: BLE001
+                pass
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
