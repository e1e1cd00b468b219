"""Successes that a reply tells and that did not happen: its claims against the run's acts.

Vague talk and general knowledge are left alone: what no tool of the agent does, what words alone
can make (an outline, a list), what somebody else is said to have done.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from pointsman.domain.patterns import Pattern
from pointsman.domain.replies.action_words import (
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
from pointsman.domain.replies.claims import EVERYTHING, Claim, claims_in
from pointsman.domain.replies.reply_facts import Act, Fault
from pointsman.domain.replies.reply_words import pattern, says_failed, says_not_done, says_yours
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
_SAYS_WHO = re.compile(r"我|[帮为替给][您你]|\b(?:I|we)\b", re.IGNORECASE)
_MARKUP = " \t-*#>|`•·。.!！;；"
_COLON = re.compile(r"[:：]")
_LITTLE = 16
"""Characters after a colon that can hardly be what was done."""
_FILE = re.compile(r"\w\.(?:txt|md|pdf|docx?|xlsx?|pptx?|csv|png|jpe?g|zip|log)\b", re.IGNORECASE)
_LONG = 16
"""Characters from which on words that stand in a result are hardly there by chance."""
_PASSIVE = re.compile(r"\b(?:been|was|were)\b", re.IGNORECASE)


class Truth(Struct, frozen=True, kw_only=True):
    """What claims are compared with.

    Attributes:
        acts: those that the user is concerned with; ``failed`` the owed ones of them; ``vain``
            those of tools that there are not, and for which no later call made good.
        results: what the calls gave, as text; ``known`` what earlier replies and results said.
        offered: families of the tools on offer; ``changing`` of those that change something.
        wished: families that the user's last words name.
        named: families that the draft names, of those that change something.
        brief: the reply brings nothing of its own that "done" could be said of; ``short`` is one
            that has no room for much.
    """

    acts: tuple[Act, ...]
    failed: tuple[Act, ...]
    vain: tuple[Act, ...]
    results: tuple[str, ...]
    known: tuple[str, ...]
    offered: frozenset[str]
    changing: frozenset[str]
    wished: frozenset[str]
    named: frozenset[str]
    draft: str
    short: bool
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
        short = len(draft) <= _BRIEF and "\n" not in draft
        return cls(
            acts=tuple(act for act in acts if not act.silent),
            failed=tuple(act for act in acts if act.owed),
            vain=tuple(a for a in acts if a.call.rejection == "unknown_tool" and not a.mended),
            results=tuple(act.call.result.content for act in acts if act.call.result),
            known=tuple(known),
            offered=frozenset(offered),
            changing=changing,
            wished=wishes_in(user_texts[-1]) if user_texts else frozenset(),
            named=wishes_in(draft) & changing,
            draft=draft,
            short=short,
            brief=short and not _COLON.search(draft),
        )

    def fault_of(self, claim: Claim) -> Fault | None:
        """What is wrong with the claim, if anything."""
        if claim.family == EVERYTHING:
            return self._of_everything(claim)
        done = [act for act in self.acts if act.ok and claim.family in act.families]
        failed = [act for act in self.failed if claim.family in act.families]
        if done:
            return self._of_some(claim, done, failed)
        reported = not claim.agent or not _SAYS_WHO.search(claim.clause.text)
        if (reported and self._is_told(claim.family)) or self._is_quoted(claim.clause.text):
            return None
        if failed := failed or self._in_vain(claim.family):
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
            idle = self._is_idle()
            vague = not idle and all(map(_is_plain, wished))
            empty = self.brief or (not vague and self._is_empty(claim))
            lie = idle or (wished and not self.acts)
            return Fault(kind="claimed_action", quote=quote) if lie and empty else None
        if any(act.ok for act in self.acts) and not claim.whole:
            return None
        return self.failed[-1].fault("claimed_success", quote)

    def _is_empty(self, claim: Claim) -> bool:
        """Whether a short reply with a colon brings nothing either: "Result: all done"."""
        _, *after = _COLON.split(claim.clause.text, maxsplit=1)
        rest = self.draft.replace(claim.clause.text, "")
        content = "".join(after)
        said_after = any(one.family == EVERYTHING for one in claims_in(content))
        return self.short and not _COLON.search(rest) and (len(content) < _LITTLE or said_after)

    def _in_vain(self, family: str) -> list[Act]:
        """The calls of tools that there are not, which may have been for such an act."""
        if self._was_said(family):
            return []
        return [act for act in self.vain if family in act.families or not act.families]

    def _is_idle(self) -> bool:
        """Whether nothing was done of what a tool was called for that there is not."""
        looks = all(LOOK in act.families for act in self.vain)
        done = (act.ok and (looks or act.call.risk is not Risk.READ) for act in self.acts)
        return bool(self.vain) and not any(done)

    def _is_quoted(self, clause: str) -> bool:
        """Whether these words stand so in a result or an earlier reply."""
        said, texts = clause.strip(_MARKUP), (*self.results, *self.known)
        if len(said) >= _LONG:
            return any(said in text for text in texts)
        alone = re.compile(rf"(?<!\w){re.escape(said)}(?!\w)")
        return any(alone.search(text) for text in texts)

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
        if _is_plain(family) and (not self._is_of_the_world(claim) or self._same_act(claim)):
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

    def _is_of_the_world(self, claim: Claim) -> bool:
        """Whether it is said of something that words cannot make or change; a file is, where a tool
        could have done it."""
        sentence = claim.clause.sentence
        on_file = claim.family in self.changing and _FILE.search(sentence) is not None
        return on_file or of_the_world(sentence)

    def _same_act(self, claim: Claim) -> bool:
        """Whether a vague verb tells of an act that was done: a reminder "is set"."""
        named = families_in(claim.clause.text)
        return any(act.ok and act.families & named for act in self.acts)


def _is_plain(family: str) -> bool:
    return FAMILIES[family].plain


def _states(text: str, family: str) -> bool:
    """Whether a result or reply says that such an act is done, as a state or in words."""
    return any(
        not _UNDONE_BEFORE.search(text[max(match.start() - 14, 0) : match.start()])
        and not _UNDONE_AFTER.match(text[match.end() : match.end() + 14])
        for match in _STATES[family].finditer(text)
    )
