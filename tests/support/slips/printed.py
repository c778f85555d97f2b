"""A slip, the style of its shop and the printer come in; the picture goes out."""

from dataclasses import dataclass

from PIL import Image

from tests.support.slips.layout import rows
from tests.support.slips.paint import Press, paint
from tests.support.slips.rows import Row
from tests.support.slips.slip import Slip
from tests.support.slips.style import Style


@dataclass(frozen=True)
class Printed:
    """A slip in the style of its shop, on its printer."""

    slip: Slip
    style: Style
    press: Press

    @property
    def rows(self) -> list[Row]:
        """The lines in order."""
        return rows(self.slip, self.style)

    def picture(self) -> Image.Image:
        """The clean print, mode L."""
        return paint(self.rows, self.press)
