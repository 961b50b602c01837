"""Draw worlds: things that support each other, and discs on a table."""

from itertools import pairwise
from math import hypot

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from countersight.picture import Pixels
from countersight.scenes import BLACK, WHITE, Rgb, closed_path, fill, mix, rgb, skia, stroke
from countersight.worlds.discs import FIELD, WALL, Disc, Discs, Motion, arrow, motion
from countersight.worlds.things import CUP_BASE, CUP_WALL, PALETTES, SIDE, TABLE, Look, Point, Supports, WorldThing

LINE = 1.5
"""The width of the dark line around things."""
DOT = 3.2
DOTS_APART = 9
BEAM = 16
_TOP, _APRON = 8, 18
"""The thickness of the table top, and the lower end of its side."""
_INSET = 4.0
_SHADOW = (5.0, 6.0)


def draw_supports(world: Supports) -> Pixels:
    """Draw a world of supports."""
    look = world.look
    pixels = draw_room(look)
    surface = skia.Surface(pixels, colorType=skia.kRGBA_8888_ColorType)
    canvas = surface.getCanvas()
    canvas.scale(look.side / SIDE, look.side / SIDE)
    here = {thing.id: thing for thing in world.things}
    for thing in world.things:
        _shadow(canvas, thing)
    for string in world.strings:
        above, below = here[string.above], here[string.below]
        canvas.drawLine(string.x, above.bottom - 2, string.x, below.top + 1, stroke("#4a4a4a", 2.0))
    # From bottom to top, so that no support hides the thing on it; leaning things come last.
    for thing in sorted(
        world.things, key=lambda thing: (thing.turned != 0, -thing.bottom, thing.kind != "cup", thing.id)
    ):
        _DRAW[thing.kind](canvas, thing, look)
    return pixels[:, :, :3]


def draw_room(look: Look) -> Pixels:
    """Return the empty picture: wall, beam, table and floor."""
    rows = np.arange(look.side) * SIDE // look.side
    wall, wood = np.array(rgb(look.wall)), np.array(rgb(look.wood))
    shade = (rows * 26 // SIDE)[:, None]
    colours = np.where(
        rows[:, None] < TABLE, wall - shade, (wall * 4 + wood * 3) // 7 - 12 - (rows[:, None] - TABLE) // 8
    )
    for start, end, colour in (
        (0, BEAM - 2, wood * 3 // 5),
        (BEAM - 2, BEAM, wood * 2 // 5),
        (TABLE, TABLE + _TOP, wood),
        (TABLE + _TOP, TABLE + _APRON, wood * 3 // 4),
        (TABLE + _APRON, TABLE + _APRON + 2, wood // 2),
    ):
        colours[(rows >= start) & (rows < end)] = colour
    return in_rows(colours)


def in_rows(colours: NDArray[np.int64]) -> Pixels:
    """Return an opaque square picture in which each row has one colour."""
    opaque = np.full((len(colours), 4), 255, np.uint8)
    opaque[:, :3] = colours
    # Repeating whole pixels is ten times as fast as repeating bytes.
    return np.repeat(opaque.view(np.uint32), len(colours), axis=1).view(np.uint8).reshape(len(colours), -1, 4)


def _shadow(canvas: skia.Canvas, thing: WorldThing) -> None:
    if thing.lies:
        x, _ = thing.middle
        canvas.drawOval(
            skia.Rect.MakeXYWH(x - thing.width * 0.54, thing.bottom - 5, thing.width * 1.08, 9), fill(BLACK, 56)
        )
        return
    outline = _outline(thing)
    for part in (0.6, 1.0):
        canvas.save()
        canvas.translate(_SHADOW[0] * part, _SHADOW[1] * part)
        canvas.drawPath(outline, fill(BLACK, 20))
        canvas.restore()


def _outline(thing: WorldThing) -> skia.Path:
    if thing.kind != "ball":
        return closed_path(thing.corners())
    return skia.Path().addCircle(*thing.middle, thing.width / 2)


def _block(canvas: skia.Canvas, thing: WorldThing, look: Look) -> None:
    colour = PALETTES[look.palette][thing.colour]
    if not thing.turned and not thing.lies:
        _sides(canvas, thing, colour, look.depth)
    canvas.save()
    canvas.translate(*thing.middle)
    canvas.rotate(thing.turned)
    front = skia.Rect.MakeXYWH(-thing.width / 2, -thing.height / 2, thing.width, thing.height)
    canvas.drawRect(front, fill(colour))
    _TEXTURES["grain" if thing.kind == "plank" else look.texture](canvas, front)
    canvas.drawRect(front.makeInset(LINE / 2, LINE / 2), stroke(darker(colour), LINE))
    _dots(canvas, thing, 0.0, 0.0)
    canvas.restore()


def _sides(canvas: skia.Canvas, thing: WorldThing, colour: str, depth: int) -> None:
    """Draw the visible top and side of a block, unless the viewpoint is in front."""
    if not depth:
        return
    back = abs(depth)
    (left, top), (right, _), (_, bottom), _ = thing.corners()
    edge = right if depth > 0 else left
    upper = [(left, top), (right, top), (right + depth, top - back), (left + depth, top - back)]
    side = [(edge, top), (edge, bottom), (edge + depth, bottom - back), (edge + depth, top - back)]
    canvas.drawPath(closed_path(upper), fill(mix(rgb(colour), WHITE, 2, 5)))
    canvas.drawPath(closed_path(side), fill(darker(colour)))


def _plain(canvas: skia.Canvas, front: skia.Rect) -> None:
    shine = skia.Rect.MakeLTRB(front.left() + _INSET, front.top() + _INSET, front.right() - _INSET, front.top() + 7)
    canvas.drawRect(shine, fill("#ffffff", 60))


def _grain(canvas: skia.Canvas, front: skia.Rect) -> None:
    left, right = front.left() + _INSET + 2, front.right() - _INSET - 2
    for nth, y in enumerate(np.arange(front.top() + 5.5, front.bottom() - _INSET, 6.0)):
        canvas.drawLine(left + 7 * (nth % 2), y, right - 5 * ((nth + 1) % 2), y, stroke("#000000", 1.0, 42))


def _crate(canvas: skia.Canvas, front: skia.Rect) -> None:
    inner = front.makeInset(_INSET + 1, _INSET + 1)
    canvas.drawRect(inner, stroke("#000000", 1.2, 60))
    canvas.drawLine(inner.left(), inner.top(), inner.right(), inner.bottom(), stroke("#000000", 1.2, 60))


def _bands(canvas: skia.Canvas, front: skia.Rect) -> None:
    for y in (front.top() + _INSET, front.bottom() - _INSET - 4):
        canvas.drawRect(
            skia.Rect.MakeLTRB(front.left() + _INSET, y, front.right() - _INSET, y + 4), fill("#ffffff", 70)
        )


_TEXTURES = {"plain": _plain, "grain": _grain, "crate": _crate, "bands": _bands}


def _dots(canvas: skia.Canvas, thing: WorldThing | Disc, x: float, y: float) -> None:
    """Draw the weight of a thing as dots, two in a row."""
    number = round(thing.weight)
    rows = [min(2, number - start) for start in range(0, number, 2)]
    for row, many in enumerate(rows):
        for nth in range(many):
            across, down = (nth - (many - 1) / 2) * DOTS_APART, (row - (len(rows) - 1) / 2) * DOTS_APART
            canvas.drawCircle(x + across, y + down, DOT + 0.8, fill("#202020"))
            canvas.drawCircle(x + across, y + down, DOT, fill("#ffffff"))


def _ball(canvas: skia.Canvas, thing: WorldThing, look: Look) -> None:
    colour = PALETTES[look.palette][thing.colour]
    canvas.save()
    canvas.translate(*thing.middle)
    radius = thing.width / 2
    canvas.drawCircle(0, 0, radius, fill(colour))
    canvas.drawCircle(-radius * 0.35, -radius * 0.4, radius * 0.22, fill("#ffffff", 120))
    canvas.drawCircle(0, 0, radius - LINE / 2, stroke(darker(colour), LINE))
    _dots(canvas, thing, 0.0, 1.0)
    canvas.restore()


def _cup(canvas: skia.Canvas, thing: WorldThing, look: Look) -> None:
    """Draw a cup in cross-section, so that its content is visible."""
    colour = PALETTES[look.palette][thing.colour]
    left, top, right, bottom = thing.left, thing.top, thing.right, thing.bottom
    inside = skia.Rect.MakeLTRB(left + CUP_WALL, top, right - CUP_WALL, bottom - CUP_BASE)
    canvas.drawRect(inside, fill("#000000", 40))
    corners: list[Point] = [(left, top), (left, bottom), (right, bottom), (right, top), (right - CUP_WALL, top)]
    corners += [(right - CUP_WALL, bottom - CUP_BASE), (left + CUP_WALL, bottom - CUP_BASE), (left + CUP_WALL, top)]
    path = closed_path(corners)
    canvas.drawPath(path, fill(colour))
    canvas.drawPath(path, stroke(darker(colour), 1.0))
    canvas.save()
    canvas.translate(thing.middle[0], bottom - CUP_BASE / 2)
    _dots(canvas, thing, 0.0, 0.0)
    canvas.restore()


def _shelf(canvas: skia.Canvas, thing: WorldThing, look: Look) -> None:
    for x, way in ((thing.left + 14, 1), (thing.right - 14, -1)):
        bracket = closed_path([(x, thing.bottom), (x + 16 * way, thing.bottom), (x, thing.bottom + 16)])
        canvas.drawPath(bracket, fill("#55595e"))
    front = skia.Rect.MakeXYWH(thing.left, thing.top, thing.width, thing.height)
    canvas.drawRect(front, fill(mix(rgb(look.wood), BLACK, 3, 10)))
    canvas.drawRect(skia.Rect.MakeXYWH(thing.left, thing.top, thing.width, 2), fill("#ffffff", 70))


def _hook(canvas: skia.Canvas, thing: WorldThing, look: Look) -> None:
    x, _ = thing.middle
    canvas.drawRect(skia.Rect.MakeLTRB(thing.left, thing.top, thing.right, thing.top + 4), fill("#55595e"))
    canvas.drawLine(x, thing.top + 3, x, thing.bottom - 2, stroke("#55595e", 3.0))


_DRAW = {"block": _block, "plank": _block, "ball": _ball, "cup": _cup, "shelf": _shelf, "hook": _hook}


def darker(colour: str) -> Rgb:
    """Return a darker shade of a colour."""
    return mix(rgb(colour), BLACK, 9, 20)


FRAMES = (0.0, 0.15, 0.45, 1.0)
"""The times shown in a strip. The first ones are closer together, because discs are fastest at the start."""
GAP = 6
"""The width of the white line between the moments."""
_TIP = 9.0


def draw_discs(world: Discs) -> Pixels:
    """Draw the table at the start, with an arrow for every moving disc."""
    pixels, surface = draw_table(world.look)
    canvas = surface.getCanvas()
    for disc in world.discs:
        _disc(canvas, disc, disc.x, disc.y, world)
    for disc in world.discs:
        if disc.is_pushed:
            _arrow(canvas, disc)
    return pixels[:, :, :3]


def draw_end(world: Discs) -> Pixels:
    """Draw the table at the end, with the paths of the discs."""
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
            canvas.drawLine(x, y, x2, y2, stroke(darker(colour), 5.0))  # a rim, because yellow is hard to see on cloth
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
    _dots(canvas, disc, x, y)


def _arrow(canvas: skia.Canvas, disc: Disc) -> None:
    """Draw an arrow from the edge of a disc, a third as long as the distance that it would slide."""
    (x, y), (tip_x, tip_y) = arrow(disc)
    length = hypot(disc.vx, disc.vy)
    across, down = disc.vx / length, disc.vy / length
    canvas.drawLine(x, y, tip_x - across * _TIP, tip_y - down * _TIP, stroke("#101014", 3.0))
    back_x, back_y = tip_x - across * _TIP, tip_y - down * _TIP
    corners = [(tip_x, tip_y), (back_x - down * 5, back_y + across * 5), (back_x + down * 5, back_y - across * 5)]
    canvas.drawPath(closed_path(corners), fill("#101014"))
