"""A clean print comes in, what a pocket, a shadow and a cheap camera leave of it goes out."""

from collections.abc import Callable
from io import BytesIO
from random import Random

import numpy as np
from PIL import Image, ImageFilter

from tests.support.slips.paint import PAPER

Wear = Callable[[Image.Image, Random], Image.Image]


def noise(image: Image.Image, chance: Random) -> Image.Image:
    """The grain of a sensor in weak light."""
    grain = _numbers(chance).normal(0, chance.uniform(6, 18), (image.height, image.width))
    return _picture(_grays(image) + grain)


def speckle(image: Image.Image, chance: Random) -> Image.Image:
    """Dust: single dark and light points."""
    dots = _numbers(chance).random((image.height, image.width))
    share = chance.uniform(0.001, 0.004)
    grays = _grays(image)
    grays[dots < share] = 40
    grays[dots > 1 - share] = PAPER
    return _picture(grays)


def skew(image: Image.Image, chance: Random) -> Image.Image:
    """Laid down at a slant."""
    return image.rotate(chance.uniform(-3.5, 3.5), Image.Resampling.BICUBIC, expand=True, fillcolor=_desk(chance))


def shadow(image: Image.Image, chance: Random) -> Image.Image:
    """The hand that holds the phone darkens one side, with a soft edge."""
    across, down = np.meshgrid(np.linspace(-1, 1, image.width), np.linspace(-1, 1, image.height))
    edge = across * chance.uniform(-1, 1) + down * chance.uniform(-1, 1) - chance.uniform(-0.4, 0.4)
    dark = chance.uniform(0.55, 0.8)
    return _picture(_grays(image) * (dark + (1 - dark) / (1 + np.exp(-edge * chance.uniform(3, 9)))))


def perspective(image: Image.Image, chance: Random) -> Image.Image:
    """Seen at an angle, on a desk."""
    border = image.width // 12
    ground = Image.new("L", (image.width + 2 * border, image.height + 2 * border), _desk(chance))
    ground.paste(image, (border, border))
    wide, tall = ground.size
    corners = [(0, 0), (0, tall), (wide, tall), (wide, 0)]
    reach = border * 0.7
    moved = [(x + chance.uniform(-reach, reach), y + chance.uniform(-reach, reach)) for x, y in corners]
    return ground.transform(
        ground.size,
        Image.Transform.PERSPECTIVE,
        _perspective(corners, moved),
        Image.Resampling.BICUBIC,
        fillcolor=_desk(chance),
    )


def fading(image: Image.Image, chance: Random) -> Image.Image:
    """Thermal paper after a summer: the ink grows pale, in waves down the strip."""
    waves = np.sin(np.linspace(0, chance.uniform(2, 9), image.height) + chance.uniform(0, 6))
    kept = np.clip(chance.uniform(0.4, 0.65) + 0.18 * waves, 0.25, 1)[:, None]
    return _picture(PAPER - (PAPER - _grays(image)) * kept)


def blur(image: Image.Image, chance: Random) -> Image.Image:
    """Out of focus."""
    return image.filter(ImageFilter.GaussianBlur(chance.uniform(0.5, 1.2)))


def crease(image: Image.Image, chance: Random) -> Image.Image:
    """Folded: pale lines across where the coating broke, darker beside them."""
    grays = _grays(image)
    for _ in range(chance.randint(1, 3)):
        row = chance.randrange(10, image.height - 10)
        grays[row : row + chance.randint(1, 3)] = PAPER
        grays[row + 3 : row + 8] *= 0.85
    return _picture(grays)


def small(image: Image.Image, chance: Random) -> Image.Image:
    """Photographed from afar: fewer pixels."""
    share = chance.uniform(0.65, 0.85)
    return image.resize((round(image.width * share), round(image.height * share)), Image.Resampling.LANCZOS)


def squeezed(image: Image.Image, chance: Random) -> Image.Image:
    """Sent by a messenger: a strong JPEG compression."""
    target = BytesIO()
    image.save(target, "JPEG", quality=chance.randint(25, 55))
    return Image.open(target).convert("L")


ORDER: tuple[Wear, ...] = (crease, fading, skew, perspective, shadow, speckle, small, blur, noise, squeezed)
"""As it happens: to the paper, by the light, in the camera, on the wire."""


def worn(image: Image.Image, chance: Random) -> tuple[Image.Image, tuple[str, ...]]:
    """Two to four things happen to the slip; return it and their names."""
    chosen = set(chance.sample(range(len(ORDER)), chance.randint(2, 4)))
    happened = [wear for place, wear in enumerate(ORDER) if place in chosen]
    for wear in happened:
        image = wear(image, chance)
    return image, tuple(wear.__name__ for wear in happened)


def _numbers(chance: Random) -> np.random.Generator:
    return np.random.default_rng(chance.getrandbits(64))


def _grays(image: Image.Image) -> np.ndarray:
    return np.asarray(image, dtype=np.float32).copy()


def _picture(grays: np.ndarray) -> Image.Image:
    return Image.fromarray(np.clip(grays, 0, PAPER).astype(np.uint8), "L")


def _desk(chance: Random) -> int:
    return chance.choice((70, 110, 150, 200))


def _perspective(source: list[tuple[int, int]], target: list[tuple[float, float]]) -> list[float]:
    """The eight coefficients by which Pillow finds, for a point of `target`, its point of `source`."""
    lines, wanted = [], []
    for (x, y), (u, v) in zip(source, target, strict=True):
        lines += [[u, v, 1, 0, 0, 0, -x * u, -x * v], [0, 0, 0, u, v, 1, -y * u, -y * v]]
        wanted += [x, y]
    return list(np.linalg.solve(np.array(lines, float), np.array(wanted, float)))
