"""The kinds of pieces that rules speak of, and sets of kinds with a name.

A kind is one character, so that a row of pieces is a text and a rule a regular expression.
"""

_FIRST = 0x100
_KINDS = """
x stop comma dash measure

num year ord second fraction one ten hundred few a half quarter few_zh
digital dashed written numbered years months days
unit hour_letter letter letter_m length
month may weekday weekdays sat workdays weekend weekends season_en season season_zh feast edge
day window shift span_from_now nth moment range repeat week_list unread
clock noon midnight oclock half_past minute_past ap sharp part part_zh tonight lunch
eod now same_time that_day zone

the at on of in by for from to until between and after before since within during around
ago later other more business all than owns
this next coming last past begin end middle early late
every hourly daily weekly monthly yearly quarterly bimonthly biannual

zh_year zh_month zh_day zh_sky zh_hour zh_minute quarter_hour zh_decade
minguo lunar lunar_month leap
ge de di step lack gap front back ante post inside since_zh from_zh start_zh stop_zh mid_zh at_zh
approx pass last_zh back_zh lasting advance lead except apart points day_times
up up_ge down down_ge cur cur_ge recent edge_zh
"""
_SETS = """
number: num year
daynumber: num ord second
unit_en: unit second quarter hour_letter letter workdays
unit_zh: unit zh_year zh_month zh_day zh_sky zh_minute quarter_hour
dated_zh: zh_year zh_month zh_day zh_minute
any_unit: unit second quarter weekend
every_unit: unit second quarter zh_sky zh_year zh_month zh_day zh_minute
minutes_word: unit zh_minute
some_weekday: weekday weekdays sat
anypart: part part_zh
past_word: past after

turn: this next coming last past
turning: next coming last past
place: begin end middle early late
upward: up up_ge down down_ge cur cur_ge
behind: front back ante post inside since_zh
ahead: recent pass front back up down up_ge down_ge ante post gap every
halved: up up_ge down down_ge front back
ordered: di ge every gap
counted: di ge every gap recent pass front back up down up_ge down_ge ante post

unit_start: unit second month may zh_month zh_day ge zh_sky zh_year zh_hour hundred num ord
no_hour: unit_start measure quarter_hour year hour_letter length fraction
no_day: ap unit hundred oclock measure hour_letter
no_number: zh_hour unit ge zh_minute zh_sky zh_year zh_month zh_day quarter_hour half length
month_start: num di last_zh edge_zh up down front back half season season_zh numbered lunar_month
before_may: in of since until from between before after early late middle begin end during
before_sat: on this next last past coming every by until since from before after comma other and between
after_sat: num ord month may clock digital part

glue: comma that_day de at on in of by the around approx at_zh for from from_zh
timed: day clock part moment shift tonight repeat eod
single: day clock part moment shift tonight window span_from_now written now repeat eod
"""  # noqa: E501 - one set a line
_CHARACTERS = {name: chr(_FIRST + n) for n, name in enumerate(_KINDS.split())}
_MEMBERS: dict[str, str] = {}
for _line in filter(None, _SETS.split("\n")):
    _name, _, _members = _line.partition(": ")
    _MEMBERS[_name] = "".join(_MEMBERS.get(one) or _CHARACTERS[one] for one in _members.split())


_WEAK = (
    "x stop comma dash measure num year ord one ten hundred few a half few_zh hour_letter "
    "letter the on of in by for from to until between and before since within during later "
    "other more business all than owns next coming last past begin end middle early late "
    "ge de di step lack gap front back ante post inside from_zh start_zh stop_zh mid_zh at_zh "
    "approx pass last_zh back_zh lasting advance except apart points up up_ge down down_ge cur "
    "cur_ge recent edge_zh season_en lunch sharp part_zh season_zh that_day"
)
WEAK = frozenset(_CHARACTERS[name] for name in _WEAK.split() if name != "year")
"""Kinds that name no time when nothing else stands beside them."""


def kind(name: str) -> str:
    """The character that stands for a kind."""
    return _CHARACTERS[name]


def members(name: str) -> str:
    """The characters of a kind or of a set of kinds."""
    return _MEMBERS.get(name) or _CHARACTERS[name]
