"""Whether descriptions of people are understood, and nobody is taken for somebody else.

300 descriptions against a company of 2,000 people with namesakes (``directory_world``), in Chinese
and English; each either means somebody, or has to be asked about. Run: ``make bench-directory``;
writes ``benchmarks/directory.md``. ``--seed N`` takes another company and other descriptions, and
writes nothing.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from msgspec import Struct

from benchmarks.directory_world import Company, Described, by_name, company, descriptions
from pointsman.domain.directory.entries import Directory
from pointsman.domain.directory.whom import Recipients

COUNT = 300
SEED = 1


class Outcome(Struct, frozen=True):
    """What came of a description: ``right``, ``asked`` (rightly or not), ``wrong``."""

    described: Described
    found: frozenset[str]
    seconds: float

    @property
    def verdict(self) -> str:
        if self.found == self.described.meant:
            return "right"
        return "wrong" if self.found else "asked"


def measure(world: Company, given: Sequence[Described]) -> list[Outcome]:
    """Ask for each of them."""
    recipients = Recipients(Directory(world.people, world.departments))
    outcomes = []
    for one in given:
        started = process_time()
        found = recipients.find(one.words, asking=one.asking)
        outcomes.append(Outcome(one, frozenset(found.people), process_time() - started))
    return outcomes


def page(world: Company, outcomes: Sequence[Outcome]) -> str:
    """The results as Markdown."""
    shared = sum(len(people) for people in by_name(world).values() if len(people) > 1)
    clear = [one for one in outcomes if one.described.meant]
    unclear = [one for one in outcomes if not one.described.meant]
    wrong = [one for one in outcomes if one.verdict == "wrong"]
    found = sum(one.verdict == "right" for one in clear)
    seconds = sorted(one.seconds for one in outcomes)
    lines = [
        "# Recipients",
        "",
        "`make bench-directory`. Descriptions of people against a made-up company: who is meant, "
        "or that somebody has to be asked, follows from how the company was built. A wrong answer "
        "is any set of people that is not the one meant, also where asking was right.",
        "",
        f"- {len(world.people):,} people in {len(world.departments)} departments; {shared:,} share"
        " their name with somebody",
        f"- {len(outcomes)} descriptions: {len(clear)} that mean somebody, {len(unclear)} that "
        "must be asked about",
        f"- **wrong people: {len(wrong)}** (goal 0)",
        f"- **found without asking: {found / len(clear):.1%}** ({found}/{len(clear)}; goal 95 %)",
        f"- middle time for one: {seconds[len(seconds) // 2] * 1000:.1f} ms, the longest "
        f"{seconds[-1] * 1000:.0f} ms",
        "",
        "| kind | language | number | found | rightly asked | needlessly asked | wrong |",
        "|---|---|---|---|---|---|---|",
    ]
    table: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in outcomes:
        told = "rightly" if one.verdict == "right" and not one.described.meant else one.verdict
        table[one.described.kind, one.described.language][told] += 1
    for (kind, language), counts in sorted(table.items()):
        cells = [counts[word] for word in ("right", "rightly", "asked", "wrong")]
        numbers = " | ".join(str(cell or "") for cell in cells)
        lines.append(f"| {kind} | {language} | {counts.total()} | {numbers} |")
    missed = [one for one in clear if one.verdict == "asked"]
    lines += [f"- needlessly asked: {one.described.words}" for one in missed]
    lines += [f"- wrong: {one.described.words}" for one in wrong]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and print; write the page for the usual seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args()
    world = company(options.seed)
    told = page(world, measure(world, descriptions(world, options.seed, options.count)))
    print(told)
    if (options.seed, options.count) == (SEED, COUNT):
        Path(__file__).with_suffix(".md").write_text(told, encoding="utf-8")


if __name__ == "__main__":
    main()
