"""Draw discs on a table: the start with arrows, a later moment with the paths so far, or four moments at once."""

from itertools import pairwise
from math import hypot

import numpy as np
from msgspec.structs import replace

from countersight.picture import Pixels
from countersight.scenes import rgb, skia
from countersight.worlds.colours import PALETTES
from countersight.worlds.discs import FIELD, WALL, Disc, Discs, Motion, arrow, motion
from countersight.worlds.drawing import DOT, DOTS_APART, darker, fill, in_rows, stroke
from countersight.worlds.things import Look

FRAMES = (0.0, 0.15, 0.45, 1.0)
"""The times shown in a strip; discs are fast at first."""
GAP = 6
"""Width of the white line between the moments."""
_TIP = 9.0


def draw_discs(world: Discs) -> Pixels:
    """Draw the start; every moving disc has an arrow."""
    pixels, surface = draw_table(world.look)
    canvas = surface.getCanvas()
    for disc in world.discs:
        _disc(canvas, disc, disc.x, disc.y, world)
    for disc in world.discs:
        if disc.vx or disc.vy:
            _arrow(canvas, disc)
    return pixels[:, :, :3]


def draw_end(world: Discs) -> Pixels:
    """Draw the end, with the paths of the discs."""
    return _moment(world, motion(world), 1.0, world.look.side)[:, :, :3]


def draw_strip(world: Discs) -> Pixels:
    """Draw four moments from start to end, row by row."""
    return _laid_out(_moments(world, world.look.side * 5 // 8), 2)


def draw_both(world: Discs, changed: Discs) -> Pixels:
    """Draw four moments of a table in a row, and below them four of the changed table."""
    side = world.look.side // 2
    return _laid_out([*_moments(world, side), *_moments(changed, side)], len(FRAMES))


def _moments(world: Discs, side: int) -> list[Pixels]:
    happens = motion(world)
    return [_moment(world, happens, when, side) for when in FRAMES]


def _laid_out(frames: list[Pixels], columns: int) -> Pixels:
    """Return one picture with pictures of equal size in rows, separated by white lines."""
    side = len(frames[0])
    rows = -(-len(frames) // columns)
    sheet = np.full((rows * (side + GAP) - GAP, columns * (side + GAP) - GAP, 4), 255, np.uint8)
    for nth, frame in enumerate(frames):
        top, left = nth // columns * (side + GAP), nth % columns * (side + GAP)
        sheet[top : top + side, left : left + side] = frame
    return sheet[:, :, :3]


def _moment(world: Discs, happens: Motion, when: float, side: int) -> Pixels:
    pixels, surface = draw_table(replace(world.look, side=side))
    canvas = surface.getCanvas()
    for disc in world.discs:
        places = [(track.x, track.y) for track in happens.tracks[disc.id] if track.since <= when]
        places.append(happens.at(disc.id, when))
        colour = PALETTES[world.look.palette][disc.colour]
        for (x, y), (x2, y2) in pairwise(places):
            canvas.drawLine(x, y, x2, y2, stroke(darker(colour), 5.0))  # a rim: yellow on cloth is hard to see
            canvas.drawLine(x, y, x2, y2, stroke(colour, 2.5))
    for disc in world.discs:
        _disc(canvas, disc, *happens.at(disc.id, when), world)
    return pixels


def draw_table(look: Look) -> tuple[Pixels, skia.Surface]:
    """Return the empty table: its pixels, and the surface that draws into them."""
    side, wood = look.side, np.array(rgb(look.wood))
    pixels = in_rows(np.tile(wood * 3 // 5, (side, 1)))
    wall = WALL * side // FIELD
    cloth = np.array(rgb(look.wall)) - (np.arange(side - 2 * wall) * 14 // side)[:, None]
    pixels[wall : side - wall, wall : side - wall] = in_rows(cloth)
    surface = skia.Surface(pixels, colorType=skia.kRGBA_8888_ColorType)
    canvas = surface.getCanvas()
    canvas.scale(side / FIELD, side / FIELD)
    inner = skia.Rect.MakeLTRB(WALL - 2, WALL - 2, FIELD - WALL + 2, FIELD - WALL + 2)
    canvas.drawRect(inner, stroke("#3a2a1c", 4.0))
    return pixels, surface


def _disc(canvas: skia.Canvas, disc: Disc, x: float, y: float, world: Discs) -> None:
    colour = PALETTES[world.look.palette][disc.colour]
    canvas.drawCircle(x + 3, y + 4, disc.radius, fill("#000000", 36))
    canvas.drawCircle(x, y, disc.radius, fill(colour))
    canvas.drawCircle(x, y, disc.radius - 5, stroke("#ffffff", 1.5, 70))
    canvas.drawCircle(x, y, disc.radius - 0.75, stroke(darker(colour), 1.5))
    number = round(disc.weight)
    for nth in range(number):
        row, many = nth // 2, min(2, number - nth // 2 * 2)
        right = (nth % 2 - (many - 1) / 2) * DOTS_APART
        down = (row - ((number + 1) // 2 - 1) / 2) * DOTS_APART
        canvas.drawCircle(x + right, y + down, DOT + 0.8, fill("#202020"))
        canvas.drawCircle(x + right, y + down, DOT, fill("#ffffff"))


def _arrow(canvas: skia.Canvas, disc: Disc) -> None:
    """Draw an arrow from the edge of a disc, a third as long as the distance it would slide."""
    (x, y), (tip_x, tip_y) = arrow(disc)
    length = hypot(disc.vx, disc.vy)
    across, down = disc.vx / length, disc.vy / length
    canvas.drawLine(x, y, tip_x - across * _TIP, tip_y - down * _TIP, stroke("#101014", 3.0))
    path = skia.Path()
    back_x, back_y = tip_x - across * _TIP, tip_y - down * _TIP
    corners = [(tip_x, tip_y), (back_x - down * 5, back_y + across * 5), (back_x + down * 5, back_y - across * 5)]
    path.addPoly([skia.Point(*corner) for corner in corners], True)
    canvas.drawPath(path, fill("#101014"))
