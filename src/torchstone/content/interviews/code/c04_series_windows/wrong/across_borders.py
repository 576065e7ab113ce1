# over: solution.py
# verdict: WA property
# group: sample
# en: Joined into one series, windows reach from one recording into the next.
# zh: 拼成一条长序列之后，窗口会从一条录音跨到下一条。
@@
-        counts = [len(range(0, len(each) - length + 1, stride)) for each in series]
+        self.series = [torch.cat(series)] if series else []
+        counts = [len(range(0, len(each) - length + 1, stride)) for each in self.series]
