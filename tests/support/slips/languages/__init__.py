"""Every language of the slips by its code."""

from tests.support.slips.languages.english import ENGLISH
from tests.support.slips.languages.french import FRENCH
from tests.support.slips.languages.german import GERMAN
from tests.support.slips.languages.russian import RUSSIAN
from tests.support.slips.languages.spanish import SPANISH

LANGUAGES = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH, "ru": RUSSIAN}
MIXED = "mixed"
"""Two languages on one slip."""
