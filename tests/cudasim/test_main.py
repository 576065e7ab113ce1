"""Programs with a main of their own run as children and are checked, and misuse is told apart."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cudasim.test_report import ENGLISH
from torchstone.cudasim import __main__ as program
from torchstone.cudasim.program import Product

pytestmark = pytest.mark.cudasim

GOOD = """#include <cstdio>
#include <cstdlib>
__global__ void hello(int* out) { out[threadIdx.x] = threadIdx.x; }
int main(int argc, char** argv) {
    int* d; cudaMalloc(&d, 32 * sizeof(int));
    hello<<<1, 32>>>(d);
    int h[32]; cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    int line = 0;
    if (scanf("%d", &line) != 1) line = -1;
    printf("last %d, read %d", h[31], line);
    for (int i = 1; i < argc; i++) printf(", <%s>", argv[i]);
    printf("\\n"); fflush(stdout);
    cudaFree(d);
    exit(argc > 1 ? atoi(argv[1]) : 0);
}
"""
RACE = """#include <cstdio>
__global__ void shift(int* out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = 7;
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
int main() {
    int* d; cudaMalloc(&d, 64 * sizeof(int));
    shift<<<1, 64>>>(d);
    cudaDeviceSynchronize();
    printf("done\\n");
    cudaFree(d);
}
"""
WILD = RACE.replace("= 7;", "= 7; out[1 << 20] = 1;")
COMMAND = [sys.executable, "-m", "torchstone.cudasim"]


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(text: str, name: str = "program.cu") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return write


def wait_for_end(pid: int) -> None:
    """Return when a process is gone; the test's own time limit is the longest one waits."""
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.01)


def call(*words: object, given: str = "", **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, words)],
        input=given, capture_output=True, text=True, env={**os.environ, **changes},
    )  # fmt: skip


def test_a_program_has_its_own_stdio_arguments_and_exit_code(write: Any) -> None:
    done = call("run", write(GOOD), "--", "5", "a b", "--json", given="12")
    assert (done.returncode, done.stdout) == (5, "last 31, read 12, <5>, <a b>, <--json>\n")
    assert done.stderr == ""


def test_a_path_with_spaces_and_chinese_works_from_anywhere(write: Any) -> None:
    path = write(GOOD, "作 业/-程序 1.cu")
    done = call("run", path)
    assert (done.returncode, done.stdout) == (0, "last 31, read -1\n")
    checked = call("check", path)
    assert checked.returncode == 0
    assert checked.stdout.startswith("last 31, read -1\nhello: 1 blocks of 32 threads\n")
    assert checked.stdout.endswith("\n\nnothing found\n")


def test_what_a_kernel_did_is_told_at_the_end_of_a_run(write: Any) -> None:
    done = call("run", write(WILD))
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert done.stderr.startswith("program.cu:4: out-of-bounds: ")
    assert "hint: " in done.stderr
    assert "\x1b" not in done.stderr


def test_a_check_prints_what_it_found_and_ends_with_1(write: Any) -> None:
    done = call("check", write(RACE))
    assert done.returncode == 1
    assert done.stdout.startswith("done\n")
    assert "program.cu:5: RAW race in shared memory: thread (" in done.stdout
    assert "    5 |     out[threadIdx.x] = tile[63 - threadIdx.x];\n" in done.stdout
    assert "program.cu:4: the other write: thread (" in done.stdout
    assert "hint: put __syncthreads() between" in done.stdout


def test_a_chinese_report_says_the_same_and_all_in_chinese(write: Any) -> None:
    path = write(RACE.replace("cudaFree(d);", "shift<<<1, 2048>>>(d); cudaFree(d);"))
    english, chinese = (call("check", path, "--lang", lang).stdout for lang in ("en", "zh"))
    drawn = re.compile(r"^(?: *\d+)? *\|.*\n", re.MULTILINE)
    assert drawn.findall(english) == drawn.findall(chinese) != []
    assert "program.cu:5: 共享内存中的 RAW 竞争：线程块 (0, 0, 0) 的线程 (" in chinese
    assert "建议：用 __syncthreads() 把写入与读取隔开。" in chinese
    assert "启动失败（launch）：线程块最多 1024 个线程" in chinese
    assert chinese.endswith("\n发现 4 处问题\n")
    assert ENGLISH.findall(drawn.sub("", chinese)) == []
    told = json.loads(call("check", path, "--lang", "zh", "--json").stdout)
    assert {each["hint"][-1] for each in told["findings"]} == {"。"}
    assert told["findings"][-1]["detail"][0] == {"say": "block-too-large", "with": {}}


def test_in_chinese_a_good_program_is_told_so_and_an_absent_main(write: Any) -> None:
    good = call("check", write(GOOD), "--lang", "zh")
    assert "hello：1 个线程块，每块 32 个线程\n" in good.stdout
    assert good.stdout.endswith("\n\n没有发现问题\n")
    ended = call("run", write("#include <csignal>\nint main() { raise(9); }\n"), "--lang", "zh")
    assert ended.stderr == "程序被信号 SIGKILL 终止\n"
    bare = call("run", write("__global__ void k() {}\n"), "--lang=zh")
    assert bare.returncode == 2
    assert bare.stderr.startswith("错误：program.cu 没有 main，")
    absent = call("check", "absent.cu", "--lang", "zh")
    assert absent.stderr.startswith("错误：无法读取 absent.cu：")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("tex2D<float>(t, 0, 0);", ":3:1: error: cudasim 不支持 tex2D：纹理和表面读取内存的方式"),
        # Where the compiler decides whether it is seen, and where a header refuses.
        ("#if __cplusplus\ncudaGraph_t g;\n#endif", "error: cudasim 不支持 cudaGraph_t：CUDA 图"),
        ("__shfl_sync(~0u, float4{}, 0);", "error: __shfl_*_sync 的值应为 int"),
    ],
)
def test_what_is_refused_is_said_in_chinese_with_its_place(
    write: Any, body: str, told: str
) -> None:
    path = write(f"struct T {{}};\n__global__ void k() {{\n{body}\n}}\nint main() {{}}\n")
    done = call("check", path, "--lang", "zh")
    assert done.returncode == 2
    assert told in done.stderr
    assert "not supported" not in done.stderr


def test_json_is_one_object_and_the_program_speaks_to_stderr(write: Any) -> None:
    done = call("check", write(RACE), "--json", "--orders", "3")
    answer = json.loads(done.stdout)
    assert sorted(answer) == ["cost", "counters", "exit_code", "findings", "nvcc", "ok"]
    assert (answer["ok"], answer["exit_code"], done.returncode) == (False, 0, 1)
    assert done.stderr == "done\n"
    kinds = {each["kind"] for each in answer["findings"]}
    # One order shows the race from the one side, another from the other.
    assert {"RAW", "WAR"} <= kinds
    race = next(each for each in answer["findings"] if each["kind"] == "RAW")
    assert (race["at"]["file"], race["at"]["line"], race["other"]["line"]) == ("program.cu", 5, 4)
    good = call("check", write(GOOD), "--json")
    assert good.returncode == 0
    assert (json.loads(good.stdout)["ok"], json.loads(good.stdout)["findings"]) == (True, [])


def test_what_was_found_before_an_abort_is_kept(write: Any) -> None:
    text = WILD.replace("cudaFree(d);", "assert(cudaGetLastError() == 0);")
    done = call(
        "run", write(text.replace("#include <cstdio>", "#include <cstdio>\n#include <cassert>"))
    )
    assert done.returncode == 128 + signal.SIGABRT
    assert "Assertion `cudaGetLastError() == 0' failed" in done.stderr
    assert "program.cu:5: out-of-bounds: " in done.stderr


def test_a_leak_is_found_by_a_check_and_not_by_a_run(write: Any) -> None:
    path = write(GOOD.replace("    cudaFree(d);\n", ""))
    done = call("check", path, "--json")
    (leak,) = json.loads(done.stdout)["findings"]
    assert (leak["kind"], leak["allocation_bytes"], leak["at"]["line"]) == ("leak", 128, 5)
    assert call("run", path).stderr == ""


def test_a_program_that_fails_by_itself_is_no_good_check(write: Any) -> None:
    done = call("check", write(GOOD), "--", "4")
    assert done.returncode == 1
    assert done.stdout.endswith("the program ended with 4\nnothing found\n")


@pytest.mark.parametrize("verb", ["run", "check"])
def test_a_program_that_is_killed_is_told_by_its_signal(write: Any, verb: str) -> None:
    done = call(verb, write("#include <csignal>\nint main() { raise(SIGKILL); }\n"))
    assert done.returncode == {"run": 128 + signal.SIGKILL, "check": 1}[verb]
    assert "the program was ended by SIGKILL" in done.stdout + done.stderr


@pytest.mark.parametrize("verb", ["run", "check"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__global__ void k() {}\n", "error: program.cu has no main"),
        ("int main() {\n    return nothing;\n}\n", "program.cu:2:12: error: 'nothing' was not"),
        ("__global__ void k() {\n  asm(\"bar.sync 0;\");\n}\nint main() {}\n",
         "program.cu:2:3: error: inline PTX"),
        ("int main() { k<<<1, 2>>>(); }\n", "program.cu:1:14: error: 'k' was not declared"),
    ],
)  # fmt: skip
def test_a_program_that_cannot_be_built_is_misuse(
    write: Any, verb: str, text: str, words: str
) -> None:
    done = call(verb, write(text))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(words)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words", [["run", "absent.cu"], ["check", "/"], [], ["check"],
              ["check", "a.cu", "--orders", "0"], ["run", "a.cu", "--watchdog", "nan"]],
)  # fmt: skip
def test_what_cannot_be_understood_is_misuse(words: list[str]) -> None:
    done = call(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_a_file_that_is_no_text_is_misuse(tmp_path: Path) -> None:
    path = tmp_path / "latin.cu"
    path.write_bytes(b"int main() {}\n// caf\xe9\n")
    done = call("check", path)
    assert done.returncode == 2
    assert done.stderr.startswith("latin.cu:2:7: error: byte 0xe9 is not UTF-8")


def test_without_a_compiler_there_is_one_line(write: Any, tmp_path: Path) -> None:
    done = call("check", write(GOOD), PATH=str(tmp_path), CUSIM_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("error: cudasim needs a C++17 compiler")


def test_a_kernel_that_never_ends_is_ended_by_the_watchdog(write: Any) -> None:
    text = (
        "__global__ void spin(volatile int* p) { while (*p) {} }\nint main() { int* d;\n"
        "cudaMalloc(&d, 4); spin<<<1, 1>>>(d); return cudaDeviceSynchronize() != 702; }\n"
    )
    done = call("run", write(text), "--watchdog", "0.3")
    assert done.returncode == 0
    assert done.stderr.startswith("program.cu:1: timeout: ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_the_program_as_well(write: Any, number: int) -> None:
    # It minds neither signal, so it has to be killed.
    path = write(
        "#include <csignal>\n#include <cstdio>\n#include <unistd.h>\nint main() {\n"
        "signal(SIGINT, SIG_IGN); signal(SIGTERM, SIG_IGN);\n"
        'printf("%d\\n", getpid()); fflush(stdout); for (;;) pause(); }\n'
    )
    with subprocess.Popen(
        [*COMMAND, "run", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.send_signal(number)
        _, said = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in said
    wait_for_end(child)


def test_an_interruption_while_the_program_starts_ends_it_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: Any, **named: Any) -> subprocess.Popen[bytes]:
        # It has begun, and Popen has not returned yet.
        started.append(original(*arguments, **named))
        signal.raise_signal(signal.SIGINT)
        return started[0]

    original = subprocess.Popen
    monkeypatch.setattr(program.subprocess, "Popen", start)
    sleep = Product(path=Path("/bin/sleep"), kernels=(), sources={})
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            program._execute(sleep, ["1000"], watchdog=1.0)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, old)
    assert started[0].returncode == -signal.SIGTERM


def test_color_is_for_terminals_only(write: Any) -> None:
    path = write(RACE)
    leader, follower = pty.openpty()
    process = subprocess.Popen([*COMMAND, "check", str(path)], stdout=follower,
                               env={**os.environ, "NO_COLOR": ""} | {"TERM": "xterm"})  # fmt: skip
    process.wait()
    os.close(follower)
    seen = os.read(leader, 1 << 16).decode()
    os.close(leader)
    assert "RAW race" in seen
    assert "\x1b" not in seen  # NO_COLOR is set
