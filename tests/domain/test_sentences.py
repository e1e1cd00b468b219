"""The engine's own sentences."""

import pytest

from pointsman.domain import sentences
from pointsman.domain.agent import Language

REASONS = [
    "turns",
    "calls",
    "tokens",
    "seconds",
    "malformed",
    "repeated",
    "context",
    "model",
    "empty",
    "filtered",
    "internal",
]


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_failure_has_a_sentence_in_both_languages(reason: str, language: Language) -> None:
    said = sentences.failure(reason, "D{x}", language, run="R")
    assert "{" not in said.replace("D{x}", "")
    assert any("\u4e00" <= one <= "\u9fff" for one in said) == (language == "zh")


def test_the_detail_is_named_where_it_helps() -> None:
    assert "8" in sentences.failure("turns", "8", "en", run="R")
    assert "R" in sentences.failure("internal", "KeyError", "zh", run="R")
    assert "KeyError" not in sentences.failure("internal", "KeyError", "zh", run="R")


def test_an_unknown_reason_is_an_inner_failure() -> None:
    assert "operator" in sentences.failure("?", "", "en", run="R")


def test_a_failure_says_what_was_run_and_what_may_have_happened() -> None:
    said = sentences.failure(
        "turns", "8", "en", run="R", done=["look", "look"], uncertain=["pay", "mail"]
    )
    assert said.endswith(
        "Run before that: look. "
        "It is not known whether these happened: pay, mail. Please check before trying again."
    )


def test_a_cancelled_run_says_what_may_have_happened() -> None:
    assert sentences.cancelled("zh") == "已取消。"
    assert "不确定是否已执行：pay" in sentences.cancelled("zh", uncertain=["pay"])


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        *((word, True) for word in ("yes", " Yes. ", "OK!", "是的", "好的。", "确认", "可以～")),
        *((word, True) for word in ("“yes”", "「同意」", "**OK**", "ＯＫ", "同意，", "yes…")),
        *((word, True) for word in ("确定", "批准", "没问题", "可以的", "approved", "\ufeffyes\n")),
        *((word, False) for word in ("no", "No.", "不要", "取消！", "算了", "别")),
        *((word, False) for word in ("不用了", "不批准", "不可以", "不要了", "reject", "“no”")),
        *(
            (word, True)
            for word in ("yes please", "Yes, thank you!", "確認", "可以的，谢谢", "好啊")
        ),
        *((word, False) for word in ("no thanks", "不用了，谢谢", "cancel it", "Don’t", "不行啊")),
        *((word, True) for word in ("执行吧", "确认执行", "Yes, do it.", "沒問題，謝謝", "對")),
        *((word, False) for word in ("拒絕", "不用，謝謝您")),
        *(
            (word, None)
            for word in (
                "",
                "yes?",
                "yes/no",
                "yes no",
                "执行一下别的",
                "do it later",
                "同意不同意",
                "…",
                "先别弄了，查下天气",
                "yes, but tomorrow",
                "好的，但改成三点",
                "可以？",
                "对了",
                "行了",
                "可以吗",
                "谢谢",
                "please",
            )
        ),
    ],
)
def test_only_a_whole_plain_word_is_an_answer(text: str, answer: bool | None) -> None:
    """Case P14."""
    assert sentences.plain_answer(text) is answer
