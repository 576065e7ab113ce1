# over: solution.py
# verdict: WA property
# group: manager
# en: flush hands the bytes to the system alone; without fsync they may reach the disk after the
#   new name, and a crash of the machine leaves an empty file.
# zh: flush 只把字节交给操作系统；不 fsync，它们可能比新文件名更晚落盘，机器一崩溃就剩下空文件。
@@ def save
             file.flush()
-            os.fsync(file.fileno())
