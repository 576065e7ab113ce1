# over: good/raw_fork.py
# verdict: WA property
# group: leak
# en: A descriptor of os.pipe is a number that nobody frees: close both ends that the parent holds.
# zh: os.pipe 的描述符只是一个数，没有谁替你释放：父进程手里的两端都要关闭。
@@
         os.close(self.tasks)
-        os.close(self.results)
         os.kill(self.pid, signal.SIGKILL)
