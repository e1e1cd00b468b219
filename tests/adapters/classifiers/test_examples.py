"""Intents by a small model that is trained on their examples."""

from pathlib import Path

import pytest

from pointsman.adapters.classifiers.examples import Examples
from pointsman.adapters.classifiers.lazy import Lazy
from pointsman.domain.intents import Classification, Intent
from tests.support.classifier import FakeClassifier

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

INTENTS = (
    Intent(
        name="order",
        title={"zh": "订单查询", "en": "Order status"},
        examples=(
            "帮我查一下订单的物流",
            "我的包裹到哪里了",
            "订单什么时候发货",
            "快递怎么还没到",
            "where is my parcel",
            "track my order please",
            "has my order been shipped",
            "when will the package arrive",
        ),
    ),
    Intent(
        name="weather",
        title={"zh": "天气", "en": "Weather"},
        examples=(
            "明天天气怎么样",
            "今天会下雨吗",
            "后天多少度",
            "这周末冷不冷",
            "will it rain tomorrow",
            "what is the weather like",
            "how cold is it today",
            "is it sunny this weekend",
        ),
    ),
    Intent(
        name="human",
        title={"zh": "人工客服", "en": "Human support"},
        examples=(
            "我要投诉",
            "转人工客服",
            "找个真人跟我说",
            "让你们经理联系我",
            "I want to talk to a person",
            "connect me to an agent",
            "I have a complaint",
            "let me speak to a manager",
        ),
    ),
)


@pytest.fixture(scope="module")
def trained() -> Examples:
    return Examples.trained(INTENTS)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("我的快递现在在哪儿", "order"),
        ("could you check where my package is", "order"),
        ("明天会不会下大雨", "weather"),
        ("what will the weather be tomorrow", "weather"),
        ("我想和真人客服说话", "human"),
        ("please connect me with a human", "human"),
    ],
)
async def test_what_was_never_seen_is_told_by_what_it_means(
    trained: Examples, text: str, intent: str
) -> None:
    said = await trained.classify(text, context=())
    assert said.best is not None
    assert said.best[0] == intent
    assert not said.abstains
    assert all(0.0 <= score <= 1.0 for score in said.scores.values())


@pytest.mark.parametrize("text", ["", "   ", "圆周率的前十位是多少", "write a poem about the sea"])
async def test_what_is_no_intent_is_taken_by_none(trained: Examples, text: str) -> None:
    said = await trained.classify(text, context=())
    assert max(said.scores.values()) < 0.6


async def test_training_twice_gives_the_same(trained: Examples) -> None:
    again = Examples.trained(INTENTS)
    assert again.scores("我的快递现在在哪儿") == trained.scores("我的快递现在在哪儿")


def test_a_trained_model_is_kept_and_another_lesson_gets_another(tmp_path: Path) -> None:
    first = Examples.trained(INTENTS, cache=tmp_path)
    kept = sorted(tmp_path.iterdir())
    assert len(kept) == 1
    assert Examples.trained(INTENTS, cache=tmp_path).scores("下雨吗") == first.scores("下雨吗")
    assert sorted(tmp_path.iterdir()) == kept
    Examples.trained(INTENTS[:2], cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_broken_cache_is_made_anew(tmp_path: Path) -> None:
    first = Examples.trained(INTENTS, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"broken")
    assert Examples.trained(INTENTS, cache=tmp_path).scores("下雨吗") == first.scores("下雨吗")


async def test_a_lazy_classifier_is_made_once_when_it_is_asked() -> None:
    made: list[FakeClassifier] = []

    def make() -> FakeClassifier:
        made.append(FakeClassifier(lambda text: {"order": 0.9}))
        return made[-1]

    lazy = Lazy("examples", make)
    assert made == []
    said = [await lazy.classify(text, context=()) for text in ("a", "b")]
    assert said == [Classification(scores={"order": 0.9}, by="fake")] * 2
    assert len(made) == 1
