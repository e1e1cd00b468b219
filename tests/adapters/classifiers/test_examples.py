"""The trained classifier, on a few intents of our own in two languages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from pointsman.adapters.classifiers import examples
from pointsman.adapters.classifiers.examples import Examples
from pointsman.domain.intents import Intent
from pointsman.errors import SettingsError

pytestmark = pytest.mark.anyio

INTENTS = (
    Intent(
        name="knowledge",
        title={"zh": "规则咨询", "en": "Rules"},
        examples=(
            "退款规则是什么",
            "怎么申请退款",
            "退货运费谁出",
            "怎么开发票",
            "保修多久",
            "what is your refund policy",
            "how do I get an invoice",
        ),
    ),
    Intent(
        name="order_query",
        title={"zh": "订单查询", "en": "Order status"},
        examples=(
            "帮我查一下订单",
            "我的快递到哪了",
            "物流信息怎么没更新",
            "查一下退款进度",
            "where is my parcel",
            "track my order",
        ),
    ),
    Intent(
        name="human",
        title={"zh": "人工客服", "en": "A person"},
        examples=(
            "转人工",
            "我要投诉",
            "找个真人",
            "let me talk to a person",
            "I want to complain",
        ),
    ),
    Intent(
        name="chat",
        title={"zh": "闲聊", "en": "Small talk"},
        examples=("你好", "谢谢", "今天天气不错", "hello", "thanks a lot", "你是谁"),
    ),
)


@pytest.fixture(scope="module")
def trained() -> Examples:
    return Examples.trained(INTENTS)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("退款规则是什么？", "knowledge"),
        ("帮我查一下订单123456789的退款进度", "order_query"),
        ("我要投诉，转人工客服", "human"),
        ("你好，今天天气不错", "chat"),
        ("my package has not arrived", "order_query"),
        ("can I speak with a human being", "human"),
        ("ＴＲＡＣＫ　ＭＹ　ＯＲＤＥＲ", "order_query"),
    ],
)
async def test_a_message_like_the_examples_is_taken(
    trained: Examples, text: str, intent: str
) -> None:
    said = await trained.classify(text, context=())
    assert said.best is not None
    assert said.best[0] == intent
    assert said.best[1] >= 0.6
    assert [name for name, score in said.scores.items() if score >= 0.6] == [intent]
    assert not said.abstains
    assert said.by == "examples"


@pytest.mark.parametrize(
    "text", ["", "  ", "圆的面积怎么算", "how do plants drink water", "%%%", "\ud800", "🎈🎈🎈"]
)
async def test_it_abstains_on_what_is_none_of_the_intents(trained: Examples, text: str) -> None:
    said = await trained.classify(text, context=())
    assert said.abstains
    assert all(0.0 <= score < 0.3 for score in said.scores.values())
    assert said.scores.keys() == {intent.name for intent in INTENTS}


@pytest.mark.parametrize(
    "text",
    [
        "帮我查一下订单，然后告诉我怎么开发票",
        "Where is my parcel? And also, how do I get an invoice?",
    ],
)
def test_two_wishes_in_one_message_are_both_taken(trained: Examples, text: str) -> None:
    taken = {name for name, score in trained.scores(text).items() if score >= 0.6}
    assert taken == {"order_query", "knowledge"}


def test_chinese_is_understood_from_english_examples() -> None:
    english = [replace(one, title={}, examples=_latin(one)) for one in INTENTS]
    trained = Examples.trained(english)
    scores = trained.scores("我的包裹在哪里")
    assert max(scores, key=lambda name: scores[name]) == "order_query"


def _latin(intent: Intent) -> tuple[str, ...]:
    return tuple(text for text in intent.examples if text.isascii())


def test_training_twice_gives_the_same_scores(trained: Examples) -> None:
    assert Examples.trained(INTENTS).scores("查物流") == trained.scores("查物流")


def test_one_intent_with_one_example_still_tells_the_foreign() -> None:
    trained = Examples.trained([Intent(name="order", examples=("我的快递到哪了",))])
    assert trained.scores("快递到哪了")["order"] > 0.5
    assert trained.scores("水在几度结冰")["order"] < 0.3


def test_given_unknown_texts_lower_what_is_like_them() -> None:
    text = "where is the nearest shop"
    told = Examples.trained(INTENTS, unknown=("where is your shop", "find a shop near me") * 4)
    plain = Examples.trained(INTENTS)
    assert max(told.scores(text).values()) < max(plain.scores(text).values())


def test_intents_without_words_are_refused() -> None:
    with pytest.raises(SettingsError, match="examples"):
        Examples.trained([Intent(name="empty")])


def test_the_extra_is_there_in_development() -> None:
    assert examples.available()


def _cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def _flip_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


class TestCache:
    FEW = INTENTS[:2]

    def test_the_model_is_read_back_with_the_same_scores(self, tmp_path: Path) -> None:
        first = Examples.trained(self.FEW, cache=tmp_path)
        (kept,) = tmp_path.iterdir()
        written = kept.stat().st_mtime_ns
        second = Examples.trained(self.FEW, cache=tmp_path)
        assert second.scores("查物流") == first.scores("查物流")
        assert [path.stat().st_mtime_ns for path in tmp_path.iterdir()] == [written]

    def test_changed_examples_make_another_file(self, tmp_path: Path) -> None:
        Examples.trained(self.FEW, cache=tmp_path)
        changed = replace(self.FEW[0], examples=(*self.FEW[0].examples, "积分怎么用"))
        Examples.trained([changed, self.FEW[1]], cache=tmp_path)
        assert len(list(tmp_path.iterdir())) == 2

    @pytest.mark.parametrize("harm", [_cut_short, _flip_a_byte, Path.unlink])
    def test_a_harmed_file_is_trained_anew(
        self, tmp_path: Path, harm: Callable[[Path], None]
    ) -> None:
        first = Examples.trained(self.FEW, cache=tmp_path)
        (kept,) = tmp_path.iterdir()
        whole = kept.stat().st_size
        harm(kept)
        assert Examples.trained(self.FEW, cache=tmp_path).scores("查物流") == first.scores("查物流")
        assert [path.stat().st_size for path in tmp_path.iterdir()] == [whole]

    def test_a_folder_that_cannot_be_written_is_no_fault(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        trained = Examples.trained(self.FEW, cache=tmp_path / "file" / "below")
        assert trained.scores("查物流")
