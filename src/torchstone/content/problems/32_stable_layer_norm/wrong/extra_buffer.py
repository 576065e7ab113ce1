# over: solution.py
# verdict: WA property
# group: small
# en: The state_dict has the keys of nn.LayerNorm, and a buffer adds one.
# zh: `state_dict` 的键与 nn.LayerNorm 相同，而 buffer 会多出一
#   个。
@@
         self.weight = self.bias = None
+        self.register_buffer("shift", torch.zeros(()))
