"""The classifiers that an agent file names, wired: the cheap ones first, the model only when those
are unsure."""

from pathlib import Path

import pytest

from pointsman import agentfile
from pointsman.adapters.models.offline import OfflineModel
from pointsman.bootstrap import classifier_of
from tests.support.scripted_model import ScriptedModel

pytestmark = pytest.mark.anyio

FILE = """
agent: desk
instructions: Help.
model: {use: offline}
classifier: [rules, llm]
intents:
  orders: {title: {zh: 订单, en: Orders}, keywords: [订单, order], tools: []}
  human: {title: {zh: 人工, en: A person}, keywords: [人工], tools: []}
offline: {fallback: {zh: 您好, en: Hello}}
"""
SURE = '{"intents": [{"name": "human", "confidence": 0.9}]}'


@pytest.fixture
def file(tmp_path: Path) -> agentfile.AgentFile:
    (tmp_path / "agent.yaml").write_text(FILE, encoding="utf-8")
    return agentfile.load(tmp_path)


async def test_the_model_is_asked_only_when_the_rules_are_unsure(file: agentfile.AgentFile) -> None:
    model = ScriptedModel([SURE])
    classifier = classifier_of(file, model)
    assert classifier is not None
    said = await classifier.classify("查一下我的订单", context=())
    assert (said.by, said.best, model.requests) == ("rules", ("orders", said.scores["orders"]), [])
    said = await classifier.classify("我想跟活人说话", context=())
    assert (said.by, said.best) == ("llm", ("human", 0.9))
    assert len(model.requests) == 1


async def test_a_model_that_follows_rules_is_not_asked_and_that_is_said(
    file: agentfile.AgentFile, caplog: pytest.LogCaptureFixture
) -> None:
    classifier = classifier_of(file, OfflineModel(file.spec.offline))
    assert classifier is not None
    assert classifier.name == "rules"
    assert "the classifier 'llm' is not there; the rules decide" in caplog.text
