# over: solution.py
# verdict: WA property
# group: sample
# en: state_dict follows the order of assignment, which the statement fixes.
# zh: `state_dict` 按赋值的先后排列，而次序由题面规定。
@@
         super().__init__()
-        self.norm1 = nn.BatchNorm2d(in_channels)
+        self.shortcut: nn.Module | None = None
+        if stride != 1 or in_channels != channels:
+            self.shortcut = nn.Conv2d(in_channels, channels, 1, stride, bias=False)
+        self.norm1 = nn.BatchNorm2d(in_channels)
@@
-        self.shortcut: nn.Module | None = None
-        if stride != 1 or in_channels != channels:
-            self.shortcut = nn.Conv2d(in_channels, channels, 1, stride, bias=False)
         # The block starts as its shortcut. No batch norm follows that could be set to 0.
