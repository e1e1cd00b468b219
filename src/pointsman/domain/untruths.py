"""Successes that a reply tells and that did not happen: its claims against the run's acts.

Vague talk and general knowledge are left alone: what no tool of the agent does, what words alone
can make (an outline, a list), what somebody else is said to have done.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from pointsman.domain.action_words import (
    APPROVE,
    CANCEL,
    FAMILIES,
    LOOK,
    SHIP,
    families_in,
    families_of,
    of_the_world,
    wishes_in,
)
from pointsman.domain.claims import EVERYTHING, Claim, claims_in
from pointsman.domain.patterns import Pattern
from pointsman.domain.reply_facts import Act, Fault
from pointsman.domain.reply_words import pattern, says_failed, says_not_done, says_yours
from pointsman.domain.tools import ResultStatus, Risk, ToolSpec

_STATES = {
    name: Pattern(
        rf"已(?:经)?[^，,。\"]{{0,4}}(?:{family.zh})|(?:{family.zh})(?:成功|完成|完毕|了)",
        rf"(?<![a-z])(?:{family.past})(?![a-z])",
        rf"(?<![a-z])(?:{family.base})[ _-](?:ok|done|completed?|success|succeeded)(?![a-z])",
    )
    for name, family in FAMILIES.items()
} | {SHIP: Pattern(FAMILIES[SHIP].zh, FAMILIES[SHIP].past)}
_UNDONE_BEFORE = pattern(
    r"(?:未|没有?|不|待|无法|失败|是否|如果|后|\bnot|n['’]t|\bun|pending|failed|if"
    r"|\b(?:to|will|can|cannot) be)\W{0,3}$"
)
_UNDONE_AFTER = pattern(r"\W{0,3}(?:中|失败|fail|pending|processing|in progress|后|之后)")
_BRIEF = 80
_PASSIVE = re.compile(r"\b(?:been|was|were)\b", re.IGNORECASE)


class Truth(Struct, frozen=True, kw_only=True):
    """What claims are compared with.

    Attributes:
        acts: those that the user is concerned with; ``failed`` the owed ones of them.
        results: what the calls gave, as text; ``known`` what earlier replies and results said.
        offered: families of the tools on offer; ``changing`` of those that change something.
        wished: families that the user's last words name.
        named: families that the draft names, of those that change something.
        brief: the reply brings nothing of its own that "done" could be said of.
    """

    acts: tuple[Act, ...]
    failed: tuple[Act, ...]
    results: tuple[str, ...]
    known: tuple[str, ...]
    offered: frozenset[str]
    changing: frozenset[str]
    wished: frozenset[str]
    named: frozenset[str]
    brief: bool

    @classmethod
    def of(
        cls,
        draft: str,
        acts: Sequence[Act],
        *,
        user_texts: Sequence[str],
        specs: Mapping[str, ToolSpec],
        known: Sequence[str],
    ) -> "Truth":
        """The truth that a draft is measured by; the arguments are those of ``replies.check``."""
        offered = {family for name, spec in specs.items() for family in families_of(name, spec)}
        changing = frozenset(
            family
            for name, spec in specs.items()
            if spec.risk is not Risk.READ
            for family in families_of(name, spec)
        )
        return cls(
            acts=tuple(act for act in acts if not act.silent),
            failed=tuple(act for act in acts if act.owed),
            results=tuple(act.call.result.content for act in acts if act.call.result),
            known=tuple(known),
            offered=frozenset(offered),
            changing=changing,
            wished=wishes_in(user_texts[-1]) if user_texts else frozenset(),
            named=frozenset(families_in(draft)) & changing,
            brief=len(draft) <= _BRIEF and not re.search(r"[:：\n]", draft),
        )

    def fault_of(self, claim: Claim) -> Fault | None:
        """What is wrong with the claim, if anything."""
        if claim.family == EVERYTHING:
            return self._of_everything(claim)
        done = [act for act in self.acts if act.ok and claim.family in act.families]
        failed = [act for act in self.failed if claim.family in act.families]
        if done:
            return self._of_some(claim, done, failed)
        if not claim.agent and self._is_told(claim.family):
            return None
        if failed:
            looked = claim.family == LOOK and says_not_done(claim.clause.sentence)
            return None if looked else failed[-1].fault("claimed_success", claim.clause.text)
        if self._is_ending(claim) or not self._is_news(claim) or self._was_said(claim.family):
            return None
        return Fault(kind="claimed_action", quote=claim.clause.text)

    def _of_some(self, claim: Claim, done: Sequence[Act], failed: Sequence[Act]) -> Fault | None:
        """A claim that is true of one call: is it said of another that failed?"""
        clause = claim.clause
        if says_not_done(clause.text):
            return None
        true = {name for act in done for name in act.names}
        text = clause.text.lower()
        for act in failed:
            if any(name in text for name in act.names if name not in true):
                return act.fault("claimed_success", clause.text)
        if claim.whole and failed and not says_not_done(clause.sentence):
            return failed[0].fault("claimed_success", clause.text)
        return None

    def _of_everything(self, claim: Claim) -> Fault | None:
        """A claim that names no act: "done"."""
        quote = claim.clause.text
        if says_failed(claim.clause.sentence):
            return None
        if not self.failed:
            wished = ((self.wished & self.offered) | self.named) - {LOOK}
            lie = wished and self.brief and not self.acts
            return Fault(kind="claimed_action", quote=quote) if lie else None
        if any(act.ok for act in self.acts) and not claim.whole:
            return None
        return self.failed[-1].fault("claimed_success", quote)

    def _is_told(self, family: str) -> bool:
        """Whether a result of this run says that it is done, or a person did it by deciding."""
        decided = any(a.call.approval and a.call.approval.decision == "approved" for a in self.acts)
        return (family == APPROVE and decided) or any(
            _states(text, family) for text in self.results
        )

    def _was_said(self, family: str) -> bool:
        return any(
            _states(text, family) or any(claim.family == family for claim in claims_in(text))
            for text in self.known
        )

    def _is_ending(self, claim: Claim) -> bool:
        """Whether "cancelled" is said of a call that was refused or given up."""
        ended = (ResultStatus.REFUSED, ResultStatus.CANCELLED)
        return claim.family == CANCEL and any(act.status in ended for act in self.acts)

    def _is_news(self, claim: Claim) -> bool:
        """Whether the claim is about the user's world, and not talk or general knowledge."""
        family, sentence = claim.family, claim.clause.sentence
        if family == LOOK:
            return claim.agent and not self.acts and not self.known and LOOK in self.offered
        if FAMILIES[family].plain and (not of_the_world(sentence) or self._same_act(claim)):
            return False
        if claim.agent and family != SHIP:
            return True
        text = claim.clause.text
        bare = self.brief and not self.acts and family in self.changing
        if bare and (not text.isascii() or _PASSIVE.search(text)):
            # Nothing was run, and the reply is little more than "the mail was sent".
            return True
        named = any(value in sentence.lower() for act in self.acts for value in act.values)
        possible = family in self.offered or (self.acts and of_the_world(claim.clause.text))
        wished = family in self.wished and bool(possible)
        return named or wished or says_yours(claim.clause.text)

    def _same_act(self, claim: Claim) -> bool:
        """Whether a vague verb tells of an act that was done: a reminder "is set"."""
        named = families_in(claim.clause.text)
        return any(act.ok and act.families & named for act in self.acts)


def _states(text: str, family: str) -> bool:
    """Whether a result or reply says that such an act is done, as a state or in words."""
    return any(
        not _UNDONE_BEFORE.search(text[max(match.start() - 14, 0) : match.start()])
        and not _UNDONE_AFTER.match(text[match.end() : match.end() + 14])
        for match in _STATES[family].finditer(text)
    )
