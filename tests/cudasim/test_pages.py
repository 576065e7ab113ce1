"""Systems for aarch64 have pages of 4, 16 or 64 KiB; here the last is played."""

import subprocess
from pathlib import Path

import pytest

from tests.cudasim.programs import ASCENDING, HERE, run_program
from torchstone.cudasim.toolchain import Build, find_toolchain

pytestmark = [pytest.mark.cudasim, pytest.mark.full]

# Whoever asks for the size of a page is told 64 KiB, and what is not aligned to it is refused.
LARGE_PAGES = """
#include <cerrno>
#include <cstdint>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
constexpr uintptr_t large = 65536;
extern "C" {
long sysconf(int name) noexcept {
    const auto next = reinterpret_cast<long (*)(int)>(dlsym(RTLD_NEXT, "sysconf"));
    return name == _SC_PAGESIZE ? static_cast<long>(large) : next(name);
}
void* mmap(void* at, size_t size, int how, int flags, int file, off_t offset) noexcept {
    if (reinterpret_cast<uintptr_t>(at) % large) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    if (at) {
        return reinterpret_cast<void*>(syscall(SYS_mmap, at, size, how, flags, file, offset));
    }
    const long begin = syscall(SYS_mmap, at, size + large, how, flags, file, offset);
    return begin == -1 ? MAP_FAILED
                       : reinterpret_cast<void*>((begin + large - 1) / large * large);
}
int mprotect(void* at, size_t size, int how) noexcept {
    const bool fits = reinterpret_cast<uintptr_t>(at) % large == 0;
    return fits ? static_cast<int>(syscall(SYS_mprotect, at, (size + large - 1) / large * large,
                                           how))
                : (errno = EINVAL, -1);
}
}
"""


@pytest.fixture
def under(tmp_path: Path) -> tuple[str, ...]:
    source, library = tmp_path / "pages.cpp", tmp_path / "pages.so"
    source.write_text(LARGE_PAGES)
    command = [*find_toolchain().command, "-shared", "-fPIC", source, "-o", library, "-ldl"]
    subprocess.run(command, check=True)
    return ("env", f"LD_PRELOAD={library}")


@pytest.mark.parametrize("build", Build)
def test_programs_run_where_pages_are_large(under: tuple[str, ...], build: Build) -> None:
    run = run_program(HERE / "switches.cu", build, order=ASCENDING, under=under)
    assert (run.exit_code, run.output, run.findings) == (0, "", ())


@pytest.mark.parametrize("name", ["guard_off_by_one", "recursion_without_end", "kernel_after_free"])
@pytest.mark.parametrize("build", Build)
def test_faults_are_found_where_pages_are_large(
    under: tuple[str, ...], name: str, build: Build
) -> None:
    path = HERE / "corpus" / "tuned" / f"{name}.cu"
    here = run_program(path, build, order=ASCENDING)
    there = run_program(path, build, order=ASCENDING, under=under)
    assert [each.kind for each in there.findings] == [each.kind for each in here.findings]
