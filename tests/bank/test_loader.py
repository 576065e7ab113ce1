import pickle
import shutil
from pathlib import Path

import pytest

from tests.bank.conftest import WHOLE, write_problem
from torchstone.bank import Kind, Outcome, Rung, Shelf, load_bank, load_problem
from torchstone.bank.loader import CONTENT
from torchstone.core.errors import BrokenProblem
from torchstone.core.verdict import Aspect, Verdict

pytestmark = pytest.mark.pure


def broken(folder: Path) -> BrokenProblem:
    with pytest.raises(BrokenProblem) as caught:
        load_problem(folder)
    error = caught.value
    assert error.values["problem"] == folder.name
    assert folder.name in error.message("en")
    assert folder.name in error.message("zh")
    return error


def test_a_whole_folder_is_read_into_a_problem(folder: Path) -> None:
    problem = load_problem(folder)
    assert (problem.id, problem.slug, problem.title.zh) == ("01", "double", "加倍")
    assert problem.spec.entry.kind is Kind.FUNCTION
    assert problem.spec.limits.wall_s == 5.0
    assert problem.spec.limits.memory_mib == 512
    assert problem.statement.en.startswith("# Doubling")
    assert problem.editorial.zh.startswith("# 原因")
    assert [hint.rung for hint in problem.hints] == list(Rung)
    assert [level.score for level in problem.rubric.levels] == [0, 1, 2, 3]
    assert problem.starter == WHOLE["starter.py"]
    assert (problem.cases, problem.oracle) == (folder / "cases.py", folder / "oracle.py")
    assert problem.probe is None


def test_limits_left_out_have_the_published_defaults(folder: Path) -> None:
    text = WHOLE["problem.toml"].replace("[limits]\nwall_s = 5\nmemory_mib = 512\n", "")
    (folder / "problem.toml").write_text(text, encoding="utf-8")
    limits = load_problem(folder).spec.limits
    assert (limits.wall_s, limits.cpu_s, limits.memory_mib) == (10.0, 10.0, 1024)
    assert (limits.processes, limits.output_kib) == (0, 64)


def test_model_programs_carry_what_their_headers_say(folder: Path) -> None:
    problem = load_problem(folder)
    (wrong,), (cheat,), (good,) = problem.wrong, problem.cheats, problem.good
    assert (wrong.name, wrong.shelf, wrong.group) == ("triple", Shelf.WRONG, "small")
    assert (wrong.verdict, wrong.aspect) == (Verdict.WA, Aspect.VALUE)
    assert wrong.alternatives == (Outcome(verdict=Verdict.RTE),)
    assert wrong.words is not None
    assert wrong.words.zh == "三不是二。"
    assert (cheat.verdict, cheat.aspect, cheat.group) == (Verdict.RTE, None, None)
    assert (good.verdict, good.name) == (Verdict.AC, "by_sum")
    assert [variant.shelf for variant in problem.variants] == list(Shelf)


def test_a_probe_is_named_when_there_is_one(folder: Path) -> None:
    (folder / "probe.py").write_text("raise SystemExit\n")
    assert load_problem(folder).probe == folder / "probe.py"


REQUIRED = [name for name in WHOLE if "/" not in name]


@pytest.mark.parametrize("name", REQUIRED)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    error = broken(folder)
    assert error.values["file"] == name
    assert error.message("en").endswith(f"{name}: the file is missing.")
    assert error.message("zh").endswith(f"{name}：缺少这个文件。")
    assert pickle.loads(pickle.dumps(error)).message("zh") == error.message("zh")


@pytest.mark.parametrize("name", ["contract.h", "launcher.cu"])
def test_a_problem_in_cuda_without_its_contract_or_launcher_is_broken(
    tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "42_cuda_add"
    shutil.copytree(CONTENT / "problems" / folder.name, folder)
    (folder / name).unlink()
    assert broken(folder).values["file"] == name


@pytest.mark.parametrize("name", REQUIRED)
def test_a_folder_in_the_place_of_a_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).mkdir()
    assert broken(folder).values["file"] == name


READ = [name for name in WHOLE if name not in ("cases.py", "oracle.py")]


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("content", [b"\xff\xfe", b"# \xc3\x28", b"\xed\xa0\x80"])
def test_a_file_that_is_not_utf8_is_named(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    error = broken(folder)
    assert error.values["file"] == name
    assert f"{name}: the file is not UTF-8: " in error.message("en")
    assert f"{name}：不是 UTF-8 编码：" in error.message("zh")


@pytest.mark.parametrize("name", ["problem.toml", "hints.toml", "rubric.toml"])
@pytest.mark.parametrize(
    "content", ["id =", "a = 1\na = 2", "a = " + "[" * 5000, "a = " + "9" * 5000, "\x00", "a = 1_"]
)
def test_a_file_that_is_not_toml_is_named(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content)
    error = broken(folder)
    assert error.values["file"] == name
    assert f"{name}: the file is not TOML: " in error.message("en")
    assert f"{name}：不是有效的 TOML：" in error.message("zh")


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("version = 1", 'version = "1"', "version"),
        ("version = 1", "version = true", "version"),
        ("version = 1", "version = 0", "version"),
        ("version = 1", "", "version"),
        ("version = 1", "version = 1\nverison = 1", "verison"),
        ('id = "01"', 'id = "1"', "id"),
        ('id = "01"', "id = 1", "id"),
        ('id = "01"', 'id = "01\\n"', "id"),
        ('id = "01"', 'id = "\u0660\u0661"', "id"),
        ('slug = "double"', 'slug = "../double"', "slug"),
        ('slug = "double"', 'slug = "Double"', "slug"),
        ("practice = 20", "practise = 20", "minutes"),
        ("practice = 20", "practice = -1", "minutes.practice"),
        ('"2.2.1.2.1"', '"2.2.1.2"', "concepts"),
        ('["2.2.1.2.1"]', "[]", "concepts"),
        ('zh = "加倍"', 'zh = "Doubling"', "title"),
        ('zh = "加倍"', 'zh = " "', "title"),
        ('kind = "function"', 'kind = "functoin"', "entry.kind"),
        ('names = ["double"]', "names = []", "entry.names"),
        ("wall_s = 5", "wall_s = 0", "limits.wall_s"),
        ("wall_s = 5", "wall_s = inf", "limits.wall_s"),
        ("wall_s = 5", "wall_s = nan", "limits"),
        ("wall_s = 5", "wall_ms = 5", "limits"),
        ("memory_mib = 512", "memory_mib = 0.5", "limits.memory_mib"),
        ('families = ["softmax"]', "families = []", "deny"),
        ('families = ["softmax"]', 'families = "softmax"', "deny.families"),
    ],
)
def test_a_field_that_breaks_the_schema_is_named(
    folder: Path, old: str, new: str, place: str
) -> None:
    assert WHOLE["problem.toml"].count(old) == 1
    (folder / "problem.toml").write_text(WHOLE["problem.toml"].replace(old, new), encoding="utf-8")
    error = broken(folder)
    assert error.values["file"] == "problem.toml"
    assert place in str(error.values["reason"])


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("hints.toml", 'rung = "near"', 'rung = "nudge"'),
        ("hints.toml", 'rung = "near"', 'rung = "nearest"'),
        ("hints.toml", 'rung = "near"', 'rung = "near"\nextra = 1'),
        ("hints.toml", 'en = "Think of near."', 'en = ""'),
        ("rubric.toml", "score = 3", "score = 2"),
        ("rubric.toml", "score = 3", "score = 4"),
        ("rubric.toml", "minutes = 12", ""),
        ("rubric.toml", 'zh = "为什么？"', 'zh = "Why?"'),
    ],
)
def test_a_ladder_or_rubric_out_of_order_is_named(
    folder: Path, name: str, old: str, new: str
) -> None:
    assert WHOLE[name].count(old) == 1
    (folder / name).write_text(WHOLE[name].replace(old, new), encoding="utf-8")
    assert broken(folder).values["file"] == name


def test_a_folder_whose_name_is_not_its_id_and_slug_is_broken(folder: Path) -> None:
    error = broken(folder.rename(folder.with_name("02_double")))
    assert "id and slug need the folder 01_double" in error.message("en")
    assert "按编号和名字，目录名应为 01_double" in error.message("zh")
    assert error.values["reason"] == "id and slug need the folder 01_double"


def test_the_schema_says_the_received_and_the_expected_type(folder: Path) -> None:
    text = WHOLE["problem.toml"].replace("version = 1", 'version = "one"')
    (folder / "problem.toml").write_text(text, encoding="utf-8")
    assert broken(folder).values["reason"] == "version: Expected `int`, got `str`"


def test_a_broken_header_names_its_program(folder: Path) -> None:
    (folder / "wrong/triple.py").write_text("# verdict: WA value\n")
    error = broken(folder)
    assert error.values["file"] == "wrong/triple.py"
    assert "['en', 'zh', 'group']" in error.message("en")


def test_a_broken_model_program_is_found_when_it_is_used_or_when_all_is_read(folder: Path) -> None:
    (folder / "wrong/triple.py").write_text("# verdict: WA value\n")
    problem = load_problem(folder, is_whole=False)
    assert [variant.name for variant in (*problem.good, *problem.cheats)] == ["by_sum", "exit"]
    with pytest.raises(BrokenProblem, match=r"wrong/triple\.py"):
        _ = problem.wrong
    with pytest.raises(BrokenProblem, match=r"wrong/triple\.py"):
        load_problem(folder)


PATCH = "# over: solution.py\n# verdict: WA value\n# group: small\n# en: x.\n# zh: 错。\n@@\n"


def test_a_variant_over_another_program_is_loaded_whole(folder: Path) -> None:
    (folder / "wrong/triple.py").write_text(f"{PATCH}-{WHOLE['solution.py'][:-1]}\n+x = 3\n")
    (triple,) = load_problem(folder).wrong
    assert triple.source == PATCH.partition("\n")[2].removesuffix("@@\n") + "x = 3\n"
    assert (str(triple.outcomes[0]), triple.group) == ("WA value", "small")


@pytest.mark.parametrize(
    ("patch", "file", "says"),
    [
        (f"{PATCH}-x = 2\n+x = 3\n", "wrong/triple.py", "does not fit solution.py"),
        (PATCH.replace("solution", "good/other"), "good/other.py", "the file is missing"),
    ],
)
def test_a_patch_without_its_base_breaks_the_problem(
    folder: Path, patch: str, file: str, says: str
) -> None:
    (folder / "wrong/triple.py").write_text(patch)
    error = broken(folder)
    assert error.values["file"] == file
    assert says in str(error.values["reason"])


def test_one_broken_problem_leaves_the_others_alone(tmp_path: Path) -> None:
    for name in ("03_third", "01_first", "02_second"):
        write_problem(tmp_path, name)
    (tmp_path / "problems/02_second/oracle.py").unlink()
    (tmp_path / "problems/__pycache__").mkdir()
    (tmp_path / "problems/notes.txt").write_text("")
    bank = load_bank(tmp_path)
    assert [problem.id for problem in bank] == ["01", "03"]
    assert [error.values["problem"] for error in bank.broken] == ["02_second"]


def test_two_problems_with_one_id_leave_the_first(tmp_path: Path) -> None:
    for name in ("01_first", "01_other"):
        write_problem(tmp_path, name)
    bank = load_bank(tmp_path)
    assert [problem.slug for problem in bank] == ["first"]
    assert "the id 01 belongs to 01_first" in bank.broken[0].message("en")


def test_a_bank_without_problems_is_empty(tmp_path: Path) -> None:
    assert len(load_bank(tmp_path)) == 0


def test_a_file_that_may_not_be_read_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Permissions do not bind root, so the refusal is staged.
    read_text = Path.read_text

    def refuse(path: Path, encoding: str) -> str:
        if path.name == "solution.py":
            raise PermissionError(13, "Permission denied")
        return read_text(path, encoding=encoding)

    monkeypatch.setattr(Path, "read_text", refuse)
    error = broken(folder)
    assert error.values["file"] == "solution.py"
    assert "Permission denied" in error.message("en")
