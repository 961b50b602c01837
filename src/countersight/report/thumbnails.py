"""Small pictures for the page."""

import io
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from PIL import Image, ImageOps

from countersight.picture import BadPicture, Picture
from countersight.report.data import Thumbnail

MAX_PIXELS = 50_000_000
"""Above this a picture is not decoded: it would take 150 MB."""

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
_FEW = 1_000
_WORKERS = 2
# Pictures waiting to be decoded are held in memory; a few keep every worker busy.
_AHEAD = 4 * _WORKERS


def side_for(pictures: int) -> int:
    """How many pixels wide a thumbnail may be: a page with few pictures can afford sharp ones."""
    return 448 if pictures <= _FEW else 224


def thumbnail(picture: Picture, side: int) -> Thumbnail:
    """The picture at most `side` pixels wide and high, or why it cannot be shown. Never raises."""
    if picture.width * picture.height > MAX_PIXELS:
        return Thumbnail(fault=f"is too large to show ({picture.width} x {picture.height} pixels)")
    try:
        with Image.open(io.BytesIO(picture.data), formats=_FORMATS) as image:
            image.draft("RGB", (side, side))
            ImageOps.exif_transpose(image, in_place=True)
            small = image if image.mode == "RGB" else _on_white(image)
            # A whole number of times smaller is the common case; this gap makes it a plain average, 15 times as
            # fast as a filter. Method 2 takes 0.8 ms more than method 0 and makes files a quarter smaller.
            small.thumbnail((side, side), Image.Resampling.HAMMING, reducing_gap=1.0)
            file = io.BytesIO()
            small.save(file, "WEBP", quality=75, method=2)
    except Exception as error:  # decoders raise whatever they like on damaged data
        return Thumbnail(fault=f"cannot be decoded ({type(error).__name__})")
    return Thumbnail(webp=file.getvalue())


def _on_white(image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    ground = Image.new("RGB", layer.size, "white")
    ground.paste(layer, mask=layer)
    return ground


def thumbnails(
    names: Iterable[str],
    open_picture: Callable[[str], Picture],
    side: int,
) -> Iterator[Thumbnail]:
    """The thumbnails of named pictures, in order.

    Threads are enough: Pillow lets go of the interpreter while it decodes, scales and encodes.
    """

    def make(picture_name: str) -> Thumbnail:
        try:
            picture = open_picture(picture_name)
        except BadPicture as error:
            return Thumbnail(fault=str(error))
        return thumbnail(picture, side)

    with ThreadPoolExecutor(_WORKERS) as pool:
        waiting: deque[Future[Thumbnail]] = deque()
        for picture_name in names:
            waiting.append(pool.submit(make, picture_name))
            if len(waiting) > _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
