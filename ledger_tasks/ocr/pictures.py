"""JPEG, PNG, TIFF, WebP and HEIC bytes come in; gray upright pages go out."""

import io
import warnings
from typing import Final

import numpy as np
from PIL import Image, ImageOps

from ledger_tasks.errors import Terminal
from ledger_tasks.extraction.lines import Line
from ledger_tasks.ocr.documents import MAX_PIXELS, MAX_SIDE, PAGE_PIXELS, Page, to_page
from ledger_tasks.ocr.sniff import Kind

_REDUCED_COPY: Final = 254
"""TIFF tag NewSubfileType; its lowest bit marks a thumbnail of another page."""

Image.MAX_IMAGE_PIXELS = MAX_PIXELS
warnings.simplefilter("error", Image.DecompressionBombWarning)


class Picture:
    """A picture file; only TIFF has pages (a second picture in a JPEG or WebP is a preview or an animation)."""

    def __init__(self, document: bytes, kind: Kind) -> None:
        if kind is Kind.HEIC:
            _register_heic()
        try:
            self._image = Image.open(io.BytesIO(document), formats=_formats(kind))
            self._frames = _frames(self._image) if kind is Kind.TIFF else [0]
        except Terminal:
            raise
        except (Image.DecompressionBombWarning, Image.DecompressionBombError):
            raise _too_large() from None
        except MemoryError:
            raise
        except Exception as error:  # every decoder has exceptions of its own for damaged bytes
            raise _corrupt(error) from error
        self.pages = len(self._frames)

    def page(self, number: int) -> Page:
        """Decode one page, turned upright as its EXIF says. Raises Terminal IMAGE_CORRUPT or IMAGE_TOO_LARGE."""
        image = self._image
        try:
            image.seek(self._frames[number - 1])
            _check_size(image)
            if image.format in {"JPEG", "MPO"}:
                image.draft("L", _draft_size(image))
            return to_page(number, _gray(ImageOps.exif_transpose(image)))
        except (Terminal, MemoryError):
            raise
        except (Image.DecompressionBombWarning, Image.DecompressionBombError):
            raise _too_large() from None
        except Exception as error:  # every decoder has exceptions of its own for damaged bytes
            raise _corrupt(error) from error

    def text(self, number: int) -> list[Line]:  # noqa: ARG002 (a picture has no text layer on any page)
        """Return nothing: a picture has no text layer."""
        return []


def _register_heic() -> None:
    try:
        import pillow_heif  # noqa: PLC0415 (an optional extra)
    except ImportError:
        raise Terminal("UNSUPPORTED_TYPE", "HEIC needs the extra: pip install 'ledger-tasks[heic]'") from None
    pillow_heif.register_heif_opener(thumbnails=False)


def _formats(kind: Kind) -> list[str]:
    return {Kind.JPEG: ["JPEG", "MPO"], Kind.HEIC: ["HEIF"]}.get(kind, [kind.name])


def _frames(image: Image.Image) -> list[int]:
    """Return the frame numbers of the pages of a TIFF, without reduced copies. Each is checked before it is decoded."""
    found = []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        if not getattr(image, "tag_v2", {}).get(_REDUCED_COPY, 0) & 1:
            found.append(number)
    return found


def _draft_size(image: Image.Image) -> tuple[int, int]:
    """Let the JPEG decoder skip detail that would be thrown away: an eighth of the memory for a large photo."""
    ratio = max(1.0, (image.width * image.height / PAGE_PIXELS) ** 0.5)
    return round(image.width / ratio), round(image.height / ratio)


def _gray(image: Image.Image) -> Image.Image:
    """Return 8-bit gray: deep pictures scaled, transparency on white paper."""
    if image.mode in {"I", "F"} or image.mode.startswith("I;16"):
        deep = np.asarray(image, dtype=np.float32)
        top = 65535.0 if image.mode != "F" and deep.max(initial=0) > 255 else max(float(deep.max(initial=0)), 1.0)
        return Image.fromarray(np.clip(deep * (255.0 / top), 0, 255).astype(np.uint8))
    if image.has_transparency_data:
        clear = image.convert("RGBA")
        paper = Image.new("L", clear.size, 255)
        paper.paste(clear.convert("L"), mask=clear.getchannel("A"))
        return paper
    return image.convert("L")


def _check_size(image: Image.Image) -> None:
    if image.width * image.height > MAX_PIXELS or max(image.size) > MAX_SIDE:
        raise _too_large()


def _too_large() -> Terminal:
    limits = f"{MAX_PIXELS // 1_000_000} million pixels, {MAX_SIDE} on a side"
    return Terminal("IMAGE_TOO_LARGE", f"the picture is larger than {limits}")


def _corrupt(error: Exception) -> Terminal:
    return Terminal("IMAGE_CORRUPT", f"the picture cannot be decoded: {type(error).__name__}: {error}")
