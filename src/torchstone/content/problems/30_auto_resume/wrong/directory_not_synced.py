# over: solution.py
# verdict: WA property
# group: manager
# en: The name of the file is an entry of its directory: without an fsync of that, a crash of the
#   machine loses the checkpoint that save has promised.
# zh: 文件名是目录里的一项：不对目录 fsync，机器一崩溃，save 承诺过的检查点就丢了。
@@ def save
         os.replace(partial, path)
-        # The name is an entry of the directory, which has to reach the disk as well.
-        self._sync_directory()
         self._sweep()
