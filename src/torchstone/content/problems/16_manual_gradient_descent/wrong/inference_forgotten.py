# over: good/autograd_backward.py
# verdict: RTE
# group: context
# en: enable_grad alone does not leave inference_mode: what is made there cannot be recorded.
# zh: 仅用 enable_grad 走不出 inference_mode：在那里产生的张量无法被记录。
@@
-    with torch.inference_mode(False), torch.enable_grad():
+    with torch.enable_grad():
