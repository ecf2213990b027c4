"""Words that may stand for each other: prepositions and abbreviations, written for this package from common knowledge."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a list written as a text."""
    return frozenset(text.split())


_PREPOSITIONS = """
of from
of about
about on concerning regarding over
in on at
in within inside into
in during throughout
at by near beside
near beside alongside around
on upon onto atop
on over above
to toward towards into onto
to for
for during
from since
from off
by via through
by with
with alongside
through throughout across along
across over
under beneath below underneath
below beneath
over above beyond
after following
before until till
until till
between among amid amongst
against versus
without minus
around about
outside beyond
off from
per by
despite notwithstanding
"""

_ABBREVIATIONS = """
mister|mr
mistress|missus|mrs
miss|ms
doctor|dr
professor|prof
president|pres
senator|sen
representative|rep
governor|gov
general|gen
colonel|col
major|maj
captain|capt
lieutenant|lt|lieut
sergeant|sgt
corporal|cpl
private|pvt
admiral|adm
commander|cmdr
reverend|rev
honorable|honourable|hon
attorney|atty
superintendent|supt
secretary|sec
junior|jr
senior|sr
saint|st
street|st
avenue|ave|av
boulevard|blvd
road|rd
drive|dr
lane|ln
court|ct
place|pl
square|sq
highway|hwy
parkway|pkwy
mount|mt
fort|ft
apartment|apt
building|bldg
department|dept
university|univ
institute|inst
corporation|corp
company|co
incorporated|inc
limited|ltd
association|assn|assoc
brothers|bros
government|govt
committee|cttee
division|div
alabama|al|ala
alaska|ak
arizona|az|ariz
arkansas|ar|ark
california|ca|calif|cal
colorado|co|colo
connecticut|ct|conn
delaware|de|del
florida|fl|fla
georgia|ga
hawaii|hi
idaho|id
illinois|il|ill
indiana|in|ind
iowa|ia
kansas|ks|kan|kans
kentucky|ky
louisiana|la
maine|me
maryland|md
massachusetts|ma|mass
michigan|mi|mich
minnesota|mn|minn
mississippi|ms|miss
missouri|mo
montana|mt|mont
nebraska|ne|neb|nebr
nevada|nv|nev
new hampshire|nh
new jersey|nj
new mexico|nm
new york|ny
north carolina|nc
north dakota|nd
ohio|oh
oklahoma|ok|okla
oregon|or|ore
pennsylvania|pa|penn
rhode island|ri
south carolina|sc
south dakota|sd
tennessee|tn|tenn
texas|tx|tex
utah|ut
vermont|vt
virginia|va
washington|wa|wash
west virginia|wv
wisconsin|wi|wis|wisc
wyoming|wy|wyo
district of columbia|washington dc|dc
alberta|ab|alta
british columbia|bc
manitoba|mb|man
new brunswick|nb
newfoundland|nl|nfld
nova scotia|ns
ontario|on|ont
prince edward island|pei|pe
quebec|qc|que
saskatchewan|sk|sask
united states of america|united states|america|usa|us
united kingdom|great britain|britain|uk|gb
united arab emirates|uae
soviet union|union of soviet socialist republics|ussr
people 's republic of china|people's republic of china|prc
european union|eu
south africa|rsa
new zealand|nz
los angeles|la
new york city|nyc
united nations|un
north atlantic treaty organization|nato
world health organization|who
kilometre|kilometer|kilometres|kilometers|km|kms
metre|meter|metres|meters|m
centimetre|centimeter|centimetres|centimeters|cm
millimetre|millimeter|millimetres|millimeters|mm
mile|miles|mi
yard|yards|yd|yds
foot|feet|ft
inch|inches|in
kilogram|kilogramme|kilograms|kilogrammes|kilo|kilos|kg|kgs
gram|gramme|grams|grammes|g|gm
milligram|milligrams|mg
pound|pounds|lb|lbs
ounce|ounces|oz
litre|liter|litres|liters|l
millilitre|milliliter|millilitres|milliliters|ml
gallon|gallons|gal
acre|acres|ac
hectare|hectares|ha
hour|hours|hr|hrs|h
minute|minutes|min|mins
second|seconds|sec|secs
month|months|mo|mos
year|years|yr|yrs
kilowatt|kilowatts|kw
megawatt|megawatts|mw
megabyte|megabytes|mb
gigabyte|gigabytes|gb
kilohertz|khz
megahertz|mhz
percent|per cent|%|pct
dollar|dollars|$|usd
number|no|nr
telephone|tel
monday|mon
tuesday|tue|tues
wednesday|wed
thursday|thu|thur|thurs
friday|fri
saturday|sat
sunday|sun
january|jan
february|feb
march|mar
april|apr
june|jun
july|jul
august|aug
september|sep|sept
october|oct
november|nov
december|dec
"""

TITLES = word_set(
    """mr mrs ms miss mister sir dame lord lady dr doctor prof professor president pres senator sen representative rep
    congressman congresswoman governor gov mayor minister judge justice chancellor king queen prince princess duke general
    gen colonel col major maj captain capt lieutenant lt sergeant sgt admiral adm commander pope bishop archbishop cardinal
    father brother sister reverend rev rabbi imam coach chief secretary ambassador attorney chairman"""
)
SUFFIXES = word_set("jr sr junior senior ii iii iv esq phd md")
COMPANY_WORDS = word_set(
    """corp corporation co company inc incorporated ltd limited llc llp plc association assn group holdings ag gmbh sa nv
    spa bros brothers"""
)
COMPASS = ("north", "south", "east", "west")


def _lines_of(text: str, divider: str | None) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(text.strip().splitlines()):
        for word in line.split(divider):
            found.setdefault(word, set()).add(number)
    return {word: frozenset(lines) for word, lines in found.items()}


PREPOSITION_LINES = _lines_of(_PREPOSITIONS, None)
"""The lines of the table that a preposition is in; two that share one may stand for each other."""

ABBREVIATION_LINES = _lines_of(_ABBREVIATIONS, "|")
"""The lines of the list that a text, in small letters and without periods, is in."""
