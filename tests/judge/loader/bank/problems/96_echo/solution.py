import ctypes
import multiprocessing
import signal


def work(connection):
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    while True:
        connection.send(connection.recv())


class Echo:
    def __init__(self):
        self.connection, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=work, args=(theirs,), daemon=True)
        self.process.start()

    def call(self, word):
        self.connection.send(word)
        return self.connection.recv()

    def close(self):
        self.process.terminate()
        self.process.join()
