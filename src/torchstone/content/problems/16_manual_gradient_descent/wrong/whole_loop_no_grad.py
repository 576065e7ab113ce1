# over: good/autograd_backward.py
# verdict: RTE
# group: sample
# en: The forward pass runs under no_grad, so nothing is recorded and backward has no graph.
# zh: 前向也放进了 no_grad，什么都没有记录，backward 无图可走。
@@
-    with torch.inference_mode(False), torch.enable_grad():
+    with torch.inference_mode(False), torch.no_grad():
