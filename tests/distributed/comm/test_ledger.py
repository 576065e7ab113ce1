import os
import socket
import threading

import pytest

from torchstone.distributed import wire_bytes
from torchstone.distributed.comm.ledger import Entry, Ledger

pytestmark = [pytest.mark.torch]


def _entry(op, sent):
    return Entry(
        op=op, axis="dp", bytes_sent=sent, bytes_received=0, number=0, start_s=0.0, end_s=1.0
    )


def test_a_total_is_of_one_operation_or_of_all():
    ledger = Ledger(entries=[_entry("all_reduce", 3), _entry("send", 4), _entry("all_reduce", 5)])
    assert ledger.total() == 12
    assert ledger.total("all_reduce") == 8
    assert ledger.total("broadcast") == 0
    assert Ledger().total() == 0


def test_a_label_is_that_of_the_innermost_block_of_its_thread_also_after_an_error():
    ledger, seen = Ledger(), []
    with ledger.labelled("outer"):
        with pytest.raises(LookupError), ledger.labelled("inner"):
            raise LookupError
        seen.append(ledger.label)
        other = threading.Thread(target=lambda: seen.append(ledger.label))
        other.start()
        other.join()
    assert [*seen, ledger.label] == ["outer", "", ""]


def test_wire_bytes_counts_what_tcp_sockets_have_sent_and_no_pipes_or_unix_sockets():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        with socket.create_connection(server.getsockname()) as client:
            accepted, _ = server.accept()
            with accepted:
                before = wire_bytes()
                client.sendall(b"x" * 10_000)
                received = 0
                while received < 10_000:
                    received += len(accepted.recv(65_536))
                one, other = socket.socketpair()
                with one, other:
                    one.sendall(b"y" * 100)
                read, write = os.pipe()
                os.write(write, b"z")
                os.close(read)
                os.close(write)
                assert wire_bytes() - before == 10_000


def test_wire_bytes_of_a_system_that_counts_none_is_an_error(monkeypatch):
    monkeypatch.setattr(os.path, "isdir", lambda path: False)
    with pytest.raises(RuntimeError, match="use Linux"):
        wire_bytes()
