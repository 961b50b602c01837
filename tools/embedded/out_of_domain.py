"""Random pictures of other kinds, from which the model learns to say that it does not know."""

from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from countersight.models.embedded import SIDE
from countersight.picture import Pixels

Plane = NDArray[np.float64]


def out_of_domain(rng: Random) -> Pixels:
    """Return a picture of noise, clouds, waves or shapes, or a collage of them; some pictures are blurred."""
    generator = np.random.default_rng(rng.getrandbits(64))
    picture = rng.choice(_MAKERS)(rng, generator)
    if rng.random() < 0.3:
        picture = _collage(rng, generator, picture)
    image = Image.fromarray(picture)
    if rng.random() < 0.4:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.4, 3.0)))
    shaded = np.asarray(image, np.float64) * rng.uniform(0.4, 1.2) + rng.uniform(-30, 30)
    if rng.random() < 0.5:
        shaded += generator.normal(0, rng.uniform(1, 20), (SIDE, SIDE, 1))
    return shaded.clip(0, 255).astype(np.uint8)


def _clouds(rng: Random, generator: np.random.Generator) -> Pixels:
    """Return noise with the spectrum of photographs: power falls with frequency."""
    steep = rng.uniform(0.6, 2.2)
    fy, fx = np.fft.fftfreq(SIDE)[:, None], np.fft.fftfreq(SIDE)[None]
    strength = 1 / np.maximum(np.hypot(fy * rng.uniform(0.5, 2), fx), 1 / SIDE) ** steep
    planes = []
    for _ in range(3):
        plane = np.fft.ifft2(np.fft.fft2(generator.normal(size=(SIDE, SIDE))) * strength).real
        planes.append(plane / plane.std())
    tints = generator.normal(size=(3, 3)) * rng.uniform(0.1, 1) + 1.0
    mixed = np.einsum("chw,cd->hwd", np.array(planes), tints)
    return _as_pixels(mixed * rng.uniform(15, 70) + generator.uniform(30, 225, 3))


def _noise(rng: Random, generator: np.random.Generator) -> Pixels:
    size = rng.choice((2, 7, 14, 28, 56, 112, 224))
    coarse = Image.fromarray(generator.integers(0, 256, (size, size, 3), np.uint8))
    return np.asarray(coarse.resize((SIDE, SIDE), rng.choice((Image.Resampling.NEAREST, Image.Resampling.BICUBIC))))


def _waves(rng: Random, generator: np.random.Generator) -> Pixels:
    y, x = np.mgrid[:SIDE, :SIDE] / SIDE
    plane = np.zeros((SIDE, SIDE))
    for _ in range(rng.randint(1, 5)):
        turn, often = rng.uniform(0, 6.3), rng.uniform(0.5, 40)
        plane += np.sin(often * 6.3 * (x * np.cos(turn) + y * np.sin(turn)) + rng.uniform(0, 6.3))
    return _as_pixels(plane[..., None] * generator.uniform(-60, 60, 3) + generator.uniform(20, 235, 3))


def _shapes(rng: Random, generator: np.random.Generator) -> Pixels:
    """Return overlapping boxes, ovals, lines and polygons in random colours, like a still life or a chart."""
    ground = tuple(rng.randrange(256) for _ in range(3)) if rng.random() < 0.6 else (rng.randrange(225, 256),) * 3
    image = Image.new("RGB", (SIDE, SIDE), ground)
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(0, 40)):
        colour = tuple(rng.randrange(256) for _ in range(3))
        reach = rng.choice((12, 40, 120, 220))
        x, y = rng.uniform(-20, SIDE), rng.uniform(-20, SIDE)
        box = (x, y, x + rng.uniform(2, reach), y + rng.uniform(2, reach))
        shape = rng.randrange(5)
        if shape == 0:
            pen.rectangle(box, fill=colour)
        elif shape == 1:
            pen.ellipse(box, fill=colour if rng.random() < 0.7 else None, outline=colour)
        elif shape == 2:
            pen.line(box, fill=colour, width=rng.randint(1, 12))
        elif shape == 3:
            pen.polygon(
                [(rng.uniform(x, x + reach), rng.uniform(y, y + reach)) for _ in range(rng.randint(3, 7))], colour
            )
        else:
            pen.arc(box, rng.uniform(0, 360), rng.uniform(0, 360), fill=colour, width=rng.randint(1, 8))
    if rng.random() < 0.5:
        return _as_pixels(0.7 * np.asarray(image) + 0.3 * _clouds(rng, generator))
    return np.asarray(image)


def _collage(rng: Random, generator: np.random.Generator, first: Pixels) -> Pixels:
    """Paste patches of other pictures on the first one."""
    whole = first.copy()
    for _ in range(rng.randint(1, 4)):
        other = rng.choice(_MAKERS)(rng, generator)
        top, left = rng.randrange(SIDE - 30), rng.randrange(SIDE - 30)
        bottom, right = rng.randint(top + 20, SIDE), rng.randint(left + 20, SIDE)
        whole[top:bottom, left:right] = other[top:bottom, left:right]
    return whole


def _as_pixels(plane: Plane) -> Pixels:
    return plane.clip(0, 255).astype(np.uint8)


_Maker = Callable[[Random, np.random.Generator], Pixels]
_MAKERS: tuple[_Maker, ...] = (_clouds, _clouds, _clouds, _noise, _waves, _shapes, _shapes, _shapes)
