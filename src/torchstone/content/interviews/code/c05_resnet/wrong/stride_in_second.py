# over: solution.py
# verdict: WA value
# group: sample
# en: The first convolution takes the stride; the second one works on the smaller map.
# zh: 步长放在第一个卷积上，第二个卷积在缩小后的图上做。
@@
-        self.conv1 = nn.Conv2d(in_channels, channels, 3, stride, padding=1, bias=False)
+        self.conv1 = nn.Conv2d(in_channels, channels, 3, padding=1, bias=False)
@@
-        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
+        self.conv2 = nn.Conv2d(channels, channels, 3, stride, padding=1, bias=False)
