"""A proof is used again only if all that it depends on is the same, and only from an own file."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.bank.problem import Problem
from torchstone.bank.proof_record import RECORD
from torchstone.core.isolation import Isolation
from torchstone.judge.messages import Words
from torchstone.judge.proof import cache as proof_cache
from torchstone.judge.proof.cache import ProofCache
from torchstone.judge.proof.entry import Proof, Survivor, entry_of
from torchstone.judge.proof.prover import FAST, Thoroughness

KEY = "0" * 64
ENTRY = msgspec.structs.replace(
    entry_of(Proof(problem="01", good_ratio=0.25, lowprec_ratio=float("inf"))),
    survivors=(
        Survivor(
            file="solution.py", line=3, rule="detach", key="k", before="y = x", after="y = 1",
            why=Words(en="It is right.", zh="它是对的。"), source="y = 1\n",
        ),
    ),
    kills={"wrong/a": ("WA value in small",)},
)  # fmt: skip


@pytest.fixture
def cache(tmp_path: Path) -> ProofCache:
    return ProofCache(folder=tmp_path / "proofs", cache=tmp_path, how=FAST)


@pytest.fixture
def softmax(tmp_path: Path) -> Problem:
    return copied("01_softmax", tmp_path)


def copied(name: str, tmp_path: Path) -> Problem:
    folder = tmp_path / "bank/problems" / name
    # What Python compiled when another test ran this problem is no part of it.
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CONTENT / "problems" / name, folder, ignore=ignored)
    return load_problem(folder)


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """Replace what a key asks of the machine, so that no compiler runs here and each can change."""
    package = tmp_path / "torchstone"
    for name in ("bank", "core", "judge/host", "judge/messages", "cudasim"):
        (package / name).mkdir(parents=True)
    (package / "judge/host/server.py").write_text("", encoding="utf-8")
    torch = tmp_path / "torch"
    torch.mkdir()
    (torch / "version.py").write_text("cpu", encoding="utf-8")
    found: dict[str, Any] = {
        "package": package, "torch": torch, "bans": "bans-1.so", "compiler": "g++ 12",
        "machine": "bwrap 0.8", "level": Isolation.FULL, "versions": {"torch": "2.13.0"},
        "nvcc": None,
    }  # fmt: skip
    patch = monkeypatch.setattr
    patch(proof_cache, "PACKAGE", package)
    patch(proof_cache, "torch_folder", lambda: found["torch"])
    patch(proof_cache, "library", lambda: Path(found["bans"]))
    patch(proof_cache, "probe_machine", lambda: found["machine"])
    patch(proof_cache, "achieved", lambda machine, at_most: found["level"])
    patch(proof_cache, "_version", found["versions"].get)
    patch(proof_cache, "find_nvcc", lambda: found["nvcc"])

    class Compiler:
        @property
        def identity(self) -> str:
            return str(found["compiler"])

    patch(proof_cache, "find_toolchain", lambda cache: Compiler())
    return found


def write(place: Callable[[dict[str, Any]], Path]) -> Callable[[dict[str, Any]], object]:
    return lambda facts: place(facts).write_text("changed", encoding="utf-8")


@pytest.mark.pure
@pytest.mark.parametrize(
    "change",
    [
        write(lambda facts: facts["package"] / "bank/new.py"),
        write(lambda facts: facts["package"] / "core/new.py"),
        write(lambda facts: facts["package"] / "judge/host/server.py"),
        write(lambda facts: facts["package"] / "judge/messages/en.toml"),
        write(lambda facts: facts["torch"] / "version.py"),
        lambda facts: (facts["package"] / "judge/host/server.py").rename(
            facts["package"] / "judge/h.py"
        ),
        lambda facts: facts["versions"].update(torch="2.14.0"),
        lambda facts: facts["versions"].update(numpy="2.4.0"),
        lambda facts: facts.update(bans="bans-2.so"),
        lambda facts: facts.update(compiler="g++ 13"),
        lambda facts: facts.update(machine="bwrap 0.9"),
        lambda facts: facts.update(level=Isolation.CONFINED),
    ],
)
def test_whatever_decides_a_verdict_changes_the_key(
    cache: ProofCache,
    softmax: Problem,
    facts: dict[str, Any],
    change: Callable[[dict[str, Any]], object],
) -> None:
    before = cache.key(softmax)
    assert cache.key(softmax) == before
    change(facts)
    assert cache.key(softmax) != before


@pytest.mark.pure
def test_every_file_of_the_problem_changes_the_key(
    cache: ProofCache, softmax: Problem, facts: dict[str, Any]
) -> None:
    # Its record says what was proven, and is no part of it.
    paths = [path for path in sorted(softmax.path.rglob("*")) if path.name != RECORD]
    files = [path for path in paths if path.is_file()]
    assert len(files) > 30
    keys = {cache.key(softmax)}
    for file in files:
        file.write_bytes(file.read_bytes() + b"\n")
        keys.add(cache.key(softmax))
    (softmax.path / "wrong/one_more.py").write_text("", encoding="utf-8")
    assert len(keys | {cache.key(softmax)}) == len(files) + 2


@pytest.mark.pure
def test_what_python_compiles_is_no_part_of_a_problem(
    cache: ProofCache, softmax: Problem, facts: dict[str, Any]
) -> None:
    before = cache.key(softmax)
    (softmax.path / "__pycache__").mkdir()
    (softmax.path / "__pycache__/oracle.pyc").write_bytes(b"compiled")
    assert cache.key(softmax) == before


@pytest.mark.pure
def test_the_simulator_and_nvcc_count_for_what_is_compiled(
    cache: ProofCache, softmax: Problem, facts: dict[str, Any], tmp_path: Path
) -> None:
    add = copied("42_cuda_add", tmp_path)
    keys = {problem.id: [cache.key(problem)] for problem in (softmax, add)}
    (facts["package"] / "cudasim/new.h").write_text("", encoding="utf-8")
    for problem in (softmax, add):
        keys[problem.id].append(cache.key(problem))
    facts["nvcc"] = facts["torch"] / "version.py"  # any file
    for problem in (softmax, add):
        keys[problem.id].append(cache.key(problem))
    assert len(set(keys["01"])) == 1
    assert len(set(keys["42"])) == 3


@pytest.mark.pure
def test_the_kernel_of_another_problem_changes_the_key(
    cache: ProofCache, facts: dict[str, Any], tmp_path: Path
) -> None:
    add, operator = copied("42_cuda_add", tmp_path), copied("42op_cuda_add_op", tmp_path)
    before = cache.key(operator)
    kernel = add.path / "solution.cu"
    kernel.write_text(f"{add.solution.source}\n", encoding="utf-8")
    assert cache.key(operator) != before


@pytest.mark.pure
def test_how_much_is_tried_changes_the_key(
    cache: ProofCache, softmax: Problem, facts: dict[str, Any]
) -> None:
    more = [Thoroughness(), Thoroughness(mutants=0), Thoroughness(good_seeds=1)]
    caches = [cache, *(ProofCache(folder=cache.folder, cache=cache.cache, how=how) for how in more)]
    assert len({each.key(softmax) for each in caches}) == 4


@pytest.mark.sandbox
def test_two_processes_of_this_machine_find_the_same_key(cache: ProofCache) -> None:
    problem = load_problem(CONTENT / "problems/50_pip_package")
    first = cache.key(problem)
    proof_cache.probe_machine.cache_clear()
    assert cache.key(problem) == first


@pytest.mark.pure
def test_a_proof_that_holds_is_found_again_and_no_other(cache: ProofCache) -> None:
    assert cache.get(KEY) is None
    assert not cache.put(KEY, msgspec.structs.replace(ENTRY, holds=False))
    assert cache.get(KEY) is None
    assert cache.put(KEY, ENTRY)
    assert cache.get(KEY) == ENTRY
    assert cache.get("1" * 64) is None
    assert [path.name for path in cache.folder.iterdir()] == [f"{KEY}.json"]
    assert cache.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.pure
def test_a_cache_that_is_not_read_is_filled_all_the_same(cache: ProofCache) -> None:
    blind = ProofCache(folder=cache.folder, cache=cache.cache, how=FAST, reads=False)
    assert blind.put(KEY, ENTRY)
    assert blind.get(KEY) is None
    assert cache.get(KEY) == ENTRY


def damage(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    change(found)
    path.write_text(json.dumps(found), encoding="utf-8")


@pytest.mark.pure
@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-10]),
        lambda path: path.write_bytes(b"\xff\xfe"),
        lambda path: path.write_text("[]", encoding="utf-8"),
        lambda path: path.write_text("[" * 100_000, encoding="utf-8"),
        lambda path: damage(path, lambda found: found["proof"].update(good_ratio=0.1)),
        lambda path: damage(path, lambda found: found.update(key="1" * 64)),
        lambda path: damage(path, lambda found: found.pop("hash")),
        lambda path: damage(path, lambda found: found.update(proof=[])),
        lambda path: path.unlink(),
    ],
)
def test_a_damaged_entry_is_none(cache: ProofCache, change: Callable[[Path], object]) -> None:
    cache.put(KEY, ENTRY)
    change(cache.folder / f"{KEY}.json")
    assert cache.get(KEY) is None
    cache.put(KEY, ENTRY)
    assert cache.get(KEY) == ENTRY


@pytest.mark.pure
@pytest.mark.parametrize(
    "change",
    [
        lambda proof: proof.update(holds=1),
        lambda proof: proof.update(kills=[]),
        lambda proof: proof.pop("text_errors"),
        lambda proof: proof["survivors"][0].pop("why"),
    ],
)
def test_an_entry_of_another_form_is_none_although_its_hash_fits(
    cache: ProofCache, change: Callable[[dict[str, Any]], object]
) -> None:
    def rewrite(found: dict[str, Any]) -> None:
        change(found["proof"])
        found["hash"] = proof_cache._hash_of(KEY, found["proof"])

    cache.put(KEY, ENTRY)
    damage(cache.folder / f"{KEY}.json", rewrite)
    assert cache.get(KEY) is None


@pytest.mark.pure
def test_an_entry_under_another_key_is_none(cache: ProofCache) -> None:
    cache.put(KEY, ENTRY)
    other = "1" * 64
    (cache.folder / f"{KEY}.json").rename(cache.folder / f"{other}.json")
    assert cache.get(other) is None


@pytest.mark.pure
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o755])
def test_a_folder_that_others_may_enter_is_not_used(cache: ProofCache, mode: int) -> None:
    cache.put(KEY, ENTRY)
    cache.folder.chmod(mode)
    assert cache.get(KEY) is None
    assert not cache.put("1" * 64, ENTRY)
    assert [path.name for path in cache.folder.iterdir()] == [f"{KEY}.json"]


@pytest.mark.pure
def test_a_link_to_a_folder_is_not_used(cache: ProofCache, tmp_path: Path) -> None:
    cache.put(KEY, ENTRY)
    cache.folder.rename(tmp_path / "elsewhere")
    cache.folder.symlink_to(tmp_path / "elsewhere")
    assert cache.get(KEY) is None
    assert not cache.put("1" * 64, ENTRY)


@pytest.mark.pure
def test_an_entry_that_others_may_write_or_that_is_a_link_is_none(
    cache: ProofCache, tmp_path: Path
) -> None:
    cache.put(KEY, ENTRY)
    path = cache.folder / f"{KEY}.json"
    path.chmod(0o666)
    assert cache.get(KEY) is None
    path.chmod(0o600)
    assert cache.get(KEY) == ENTRY
    path.rename(tmp_path / "entry")
    path.symlink_to(tmp_path / "entry")
    assert cache.get(KEY) is None
    path.unlink()
    os.mkfifo(path)
    assert cache.get(KEY) is None


@pytest.mark.pure
def test_files_and_folders_of_another_user_are_not_used(
    cache: ProofCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.put(KEY, ENTRY)
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    assert cache.get(KEY) is None
    assert not cache.put("1" * 64, ENTRY)
    monkeypatch.setattr(proof_cache.paths, "is_private_dir", lambda path: True)
    assert cache.get(KEY) is None


@pytest.mark.pure
def test_a_write_that_fails_leaves_nothing(
    cache: ProofCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: str, target: Path) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="full"):
        cache.put(KEY, ENTRY)
    assert list(cache.folder.iterdir()) == []


@pytest.mark.pure
def test_the_oldest_entries_go_first(cache: ProofCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_cache, "MOST_ENTRIES", 3)
    keys = [f"{number:064x}" for number in range(5)]
    for age, key in enumerate(keys):
        cache.put(key, ENTRY)
        os.utime(cache.folder / f"{key}.json", (age, age))
    assert sorted(path.stem for path in cache.folder.iterdir()) == keys[2:]
