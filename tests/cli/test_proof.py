import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import torchstone
from torchstone.app.problems.authoring import BankProof
from torchstone.cli.proof import _OF_VERDICTS, draw_broken, draw_proof, draw_sum
from torchstone.cli.screen import Screen
from torchstone.core.errors import BrokenProblem
from torchstone.core.i18n import LANGS, Lang, catalogue, display_width
from torchstone.judge.messages import Words
from torchstone.judge.proof.entry import (
    COUNTED,
    Objection,
    Proof,
    ProofEntry,
    Survivor,
    entry_of,
    sum_of,
)
from torchstone.judge.proof.evidence import Evidence

pytestmark = pytest.mark.pure

EN, ZH = "WA value in small came ", "实际为 WA value in small "


def entry(**more: Any) -> ProofEntry:
    found = entry_of(Proof(problem="01", good_ratio=0.17, lowprec_ratio=240.0, median_ms=61.4))
    fields = {"mutation_score": 0.97, "kills": {"wrong/no_shift": ("WA value in scale",) * 5}}
    return msgspec.structs.replace(found, **fields | more)


def objection(kind: str, name: str, en: str, zh: str, evidence: bool = False) -> Objection:
    found = Evidence(group="small", case=1) if evidence else None
    return Objection(kind=kind, name=name, detail=Words(en=en, zh=zh), evidence=found)


def text_of(found: ProofEntry, lang: Lang = "en") -> str:
    return "\n".join(line.plain for line in draw_proof(Screen(lang=lang), found))


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "78")


def test_the_matrix_says_how_each_program_was_refused_under_all_seeds() -> None:
    text = text_of(entry())
    assert "✓ 01  proven" in text
    assert "WA value in scale ×5" in text
    assert "97 %" in text


def test_seeds_that_disagree_stand_side_by_side() -> None:
    kills = {"wrong/tie": ("WA value in small", "WA grad in small", "WA value in small")}
    assert "WA value in small ×2, WA grad in small ×1"[:34] in text_of(entry(kills=kills))


@pytest.mark.parametrize("lang", LANGS)
def test_objections_and_survivors_fit_the_terminal(lang: Lang) -> None:
    objections = [
        objection("good_refused", "solution", EN * 5, ZH * 5),
        objection("unwritten", "cases.py", "write it", "请写好"),
    ]
    survivor = Survivor(
        file="solution.py", line=9, rule="detach", key="k", before="y = x", after="y = x.detach()",
        why=None, source="y = x.detach()",
    )  # fmt: skip
    why = Words(en="It is right.", zh="它是对的。")
    survivors = [survivor, msgspec.structs.replace(survivor, why=why)]
    text = text_of(entry(holds=False, objections=objections, survivors=survivors), lang)
    for words in ("✗ 01", "cases.py", "solution.py:9", "y = x → y = x.detach()"):
        assert words in text
    # Of one that is not explained there is an objection.
    assert text.count("solution.py:9") == 1
    refused = {"en": "A right answer is refused: solution", "zh": "正确答案被拒：solution"}
    assert refused[lang] in text
    for english, chinese in ((EN.strip(), ZH.strip()), ("It is right.", "它是对的。")):
        assert (english in text, chinese in text) == (lang == "en", lang == "zh")
    assert all(display_width(line) <= 78 for line in text.splitlines())


def test_further_seeds_of_an_objection_are_counted() -> None:
    objections = [
        objection("good_refused", "solution", f"seed {seed}\nmore", f"种子 {seed}", seed == 1)
        for seed in range(3)
    ]
    objections.append(objection("wrong_accepted", "solution", "other", "别的"))
    text = text_of(entry(holds=False, objections=objections))
    assert [line.strip() for line in text.splitlines()[-6:]] == [
        "✗ A right answer is refused: solution",
        "seed 1",
        "more",
        "Objections with 2 more seeds.",
        "✗ A wrong answer is accepted: solution",
        "other",
    ]


def test_every_kind_of_objection_has_a_sentence() -> None:
    package = Path(torchstone.__file__).parent
    source = "".join(
        (package / name).read_text(encoding="utf-8")
        for name in (
            "judge/proof/prover.py",
            "judge/proof/objections.py",
            "app/problems/authoring.py",
        )
    )
    kinds = set(re.findall(r'object\(\s*"(\w+)"', source)) | set(COUNTED) | set(_OF_VERDICTS)
    kinds -= {"unwritten", "rule_mutants", "rule_mutants_accepted"}
    assert kinds >= {"judge_fault", "too_few", "copy", "starter"}
    for lang in LANGS:
        assert [
            each for each in kinds if f"cli.bank.objection.{each}" not in catalogue("cli", lang)
        ] == []


def test_a_broken_folder_is_part_of_the_sum() -> None:
    error = BrokenProblem("bank.problem_broken", problem="02_x", file="starter.py", reason="none")
    broken = ({lang: dict(error.shape(lang)) for lang in LANGS},)
    found = BankProof(problems=(entry(),), sum=sum_of(()), broken=broken)
    assert not found.holds
    screen = Screen(lang="en")
    assert "02_x" in "\n".join(line.plain for line in draw_broken(screen, broken))
    assert "1 of 2 problems proven." in "\n".join(line.plain for line in draw_sum(screen, found))


def test_of_a_proof_from_the_cache_the_numbers_are_shown() -> None:
    text = text_of(entry(cached=True))
    assert "✓ 01  proven earlier" in text
    assert "97 %" in text
    assert "WA value in scale" not in text


@pytest.mark.parametrize(("lang", "words"), [("en", "1 of them were"), ("zh", "其中 1 题")])
def test_how_many_were_taken_from_the_cache_is_said(lang: Lang, words: str) -> None:
    found = BankProof(problems=(entry(cached=True), entry()), sum=sum_of(()), broken=())
    screen = Screen(lang=lang)
    text = "\n".join(line.plain for line in draw_sum(screen, found))
    assert words in text
    assert "--no-cache" in text
    proven = BankProof(problems=(entry(),), sum=sum_of(()), broken=())
    assert "--no-cache" not in "\n".join(line.plain for line in draw_sum(screen, proven))
