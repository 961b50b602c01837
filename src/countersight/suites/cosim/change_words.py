"""The words by which CoSIm's types of change are recognised; singular nouns and plain verbs."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PEOPLE: Final = _words(
    "person people human man men woman women guy lady boy girl kid child children baby toddler adult teenager couple "
    "family crowd crew team parent mother father mom dad friend stranger someone somebody everyone anyone nobody one "
    "pedestrian passenger tourist visitor customer shopper vendor seller spectator audience fan referee umpire coach "
    "player batter pitcher catcher skier surfer swimmer runner rider cyclist skateboarder lifeguard diver driver pilot "
    "conductor guard police officer cop policeman policemen soldier troop firefighter fireman firemen doctor nurse "
    "teacher student worker employee staff chef cook waiter waitress farmer fisherman hunter photographer cameraman "
    "actor singer band musician tenant thief thieves robber burglar protester bride groom husband wife santa owner vet "
    "trainer instructor paramedic handler monk priest keeper gangster criminal dancer president king queen"
)
WEATHER: Final = _words(
    "snow snowfall snowstorm blizzard rain rainstorm hail storm thunder thunderstorm lightning lighting hurricane "
    "tornado tsunami earthquake flood flooding fog mist wind weather sun sunlight sunshine cloud sky smog frost "
    "night daylight darkness dusk dawn sunset sunrise twilight moonlight avalanche climate season winter summer autumn"
)
WEATHER_TOLD: Final = _words(
    "raining snowing hailing sunny rainy cloudy overcast foggy windy stormy snowy flooded flooding iced daytime "
    "nighttime twilight weather"
)
SURROUNDINGS: Final = _words(
    "scene setting background location environment room place image picture day daytime time season weather sky "
    "landscape temperature surroundings"
)
DAMAGE: Final = _words(
    "crack hole wound scratch dent rust stain spot mold mould fungus rip damage bruise cut scar injury dirt wrinkle "
    "ripple wear leak color colour paint puncture wear"
)
AMOUNTS: Final = _words(
    "lot lots bunch group couple pair number pack pile queue line row swarm flock herd parade kind plenty crowd most "
    "some many any all none part half amount type set dozen hundred thousand piece"
)
NOT_THINGS: Final = _words("space room way enough time view nothing sense longer evidence indication chance need")

# What ends a noun and its adjectives: a preposition, a verb, or a word that begins another clause.
NOUN_ENDS: Final = _words(
    "in on at with without by near nearby next close beside behind above below beneath under underneath over to "
    "from into onto inside outside around along across through between against toward towards here there where "
    "everywhere ahead overhead that which who whose so as for during up down off out about visible instead is are "
    "was were has have had can could will would does do be being been because if like rather throughout while "
    "covered full such attached"
)
BEFORE_NOUNS: Final = _words(
    "a an the some any no not many several few more another other all both each every this that these those his her "
    "its their our my your only just now also very much"
)

ADD: Final = _words("add put place insert include introduce give given install build create draw hang set attach plug")
PLACE: Final = _words("put place hang set attach plug")
REMOVE: Final = _words("remove delete erase eliminate clear empty take")
REPLACE: Final = _words("replace swap exchange substitute")
MOVE: Final = _words(
    "move relocate shift lift raise lower position reposition bring push slide transfer rearrange spread space float "
    "drop align arrange route"
)
ALTER: Final = _words(
    "change make turn open close shut clean paint color colour dress fill break smash tear rip cover fold cut chop saw "
    "freeze flatten enlarge increase reduce decrease extend expand tie connect adjust rotate angle thin burn darken "
    "lighten brighten enclose straighten light lay block tilt"
)
HAVE: Final = _words("have show see allow let")
COMMANDS: Final = ADD | REMOVE | REPLACE | MOVE | ALTER | HAVE

BE: Final = _words("is are was were isn't aren't wasn't weren't it's they're he's she's")
LINKS: Final = BE | _words("looks look seems seem appears appear becomes become became gets get got turned")
OWN: Final = _words("has have had hasn't haven't wears wear")
DO: Final = _words("does do doesn't don't")
VERBS: Final = LINKS | OWN | DO | _words("can cannot can't will")

# Words in -ing that tell of no event: nouns, and ways of only being there or looking some way.
NOUNS_IN_ING: Final = _words(
    "building ceiling clothing parking lighting lightning nothing something anything everything evening morning "
    "wedding railing living dining ring king string spring wing sling awning scaffolding flooring crossing painting "
    "opening frosting landing bedding seating thing shopping wrapping dumpling topping earring carving "
    "flooding bring during pudding icing"
)
STILL: Final = _words(
    "wearing standing sitting laying lying hanging missing showing saying stating displaying containing facing "
    "including indicating covering sloping matching remaining surrounding existing leading having being leaking "
    "leaning melting resting according exposing extending reflecting raining snowing assuming stretching connecting "
    "suggesting warning shining rising casting supporting preventing protecting separating blocking going depicting"
)
MOODS: Final = _words("happy sad angry scared afraid upset excited bored worried nervous surprised")
DEEDS: Final = _words(
    "throws threw jumps runs walks eats drinks fell falls tripped hold waves wave smiles cries laughs talk talks sweep "
    "drives approaches attacks chases shoots hits"
)
# After a plural these tell of no deed: "the trees too", "the children alike".
NO_DEEDS: Final = _words("too still then together away apart alike alone of and or but left right")
HANDLING: Final = _words("holding using carrying throwing pointing pouring flying putting pulling pushing riding with")
CLOTHES: Final = _words("clothes clothing shirt shirts suit dress uniform outfit pants shorts jeans coats jackets")
STATES: Final = _words(
    "red green blue yellow white black brown orange pink purple grey gray gold silver dark bright open closed shut on "
    "off up down dry wet clean dirty new old direction color colour size shape"
)
DAMAGED: Final = _words("broken flat cracked torn dirty damaged empty open closed burnt rotten rusty fresh")
LIDS: Final = _words("lid lids door doors window windows cover seat blinds curtain curtains hood gate gates trunk")
