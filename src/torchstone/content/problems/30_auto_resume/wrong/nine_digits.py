# over: solution.py
# verdict: WA property
# group: sample
# en: The name has eight digits, and more only where they are needed: others read these files.
# zh: 文件名用八位数字，不够才加：别的程序也要读这些文件。
@@
-        return f"{self._directory}/ckpt_{step:08d}.pt"
+        return f"{self._directory}/ckpt_{step:09d}.pt"
