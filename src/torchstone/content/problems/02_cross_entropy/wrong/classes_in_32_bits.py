# over: solution.py
# verdict: WA value
# group: small
# en: Classes and ignore_index are int64: 2**32 is no class, but in 32 bits it is 0.
# zh: 类别与 ignore_index 都是 int64：2**32 不是类别，放进 32 位却成了 0。
@@
-    """Cross entropy as one node of the graph; its backward is the formula p - q."""
-
@@
-    """Compare class scores with class indices."""
@@
     classes = logits.shape[1] if logits.ndim > 1 else logits.shape[0]
+    target = target.int()
+    ignore_index = int(torch.tensor(ignore_index).int())
@@
-    """Bring scores to (R, C) and classes to (R,); half precision becomes float32."""
@@
-    labels = target.reshape(-1)
+    labels = target.reshape(-1).long()
