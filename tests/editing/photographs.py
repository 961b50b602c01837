"""Pictures like photographs, with their annotations, made on the spot."""

import io
import json

import numpy as np
from PIL import Image, ImageDraw

from countersight.picture.checking import check_picture

WIDTH, HEIGHT = 240, 160
CATEGORIES = {1: "person", 3: "car", 17: "cat", 18: "dog", 47: "cup"}


def landscape(seed=0, width=WIDTH, height=HEIGHT):
    """Sky and ground with some texture."""
    rng = np.random.default_rng(seed)
    y = np.arange(height)[:, None, None] / height
    sky, ground = np.array([120, 160, 215]), np.array([110, 130, 80])
    tones = np.where(y < 0.5, sky + 40 * y, ground + 20 * y) + rng.normal(0, 5, (height, width, 1))
    return Image.fromarray(np.clip(np.broadcast_to(tones, (height, width, 3)), 0, 255).astype(np.uint8))


THINGS = {
    # id: category, box, colour
    11: (3, (20, 90, 80, 120), (200, 40, 40)),
    12: (3, (150, 100, 210, 130), (40, 60, 190)),
    13: (18, (100, 60, 125, 85), (120, 80, 40)),
    14: (17, (40, 20, 70, 50), (230, 230, 225)),
}


def photograph():
    """A landscape with two cars, a dog and a cat, each with light and shade."""
    image = landscape()
    shade = np.random.default_rng(1).normal(0, 9, (HEIGHT, WIDTH, 1))
    pixels = np.asarray(image).astype(float)
    for _, box, colour in THINGS.values():
        left, top, right, bottom = box
        pixels[top:bottom, left:right] = np.array(colour) + shade[top:bottom, left:right]
    return np.clip(pixels, 0, 255).astype(np.uint8)


def png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return check_picture(file.getvalue())


def jpeg(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=95)
    return check_picture(file.getvalue())


def annotations(path, **more):
    """A COCO file of that photograph."""
    annotated = []
    for number, (category, box, _) in THINGS.items():
        left, top, right, bottom = box
        corners = [left, top, right, top, right, bottom, left, bottom]
        annotated.append(
            {
                "id": number,
                "image_id": 391895,
                "category_id": category,
                "segmentation": [corners],
                "bbox": [left, top, right - left, bottom - top],
                "area": (right - left) * (bottom - top),
                "iscrowd": 0,
            }
        )
    file = {
        "info": {},
        "images": [{"id": 391895, "file_name": "000000391895.jpg", "width": WIDTH, "height": HEIGHT}],
        "annotations": annotated,
        "categories": [{"id": number, "name": name, "supercategory": "x"} for number, name in CATEGORIES.items()],
    }
    path.write_text(json.dumps(file | more))
    return path


def outlined(size, *boxes):
    """A mask of boxes, drawn by somebody else's hand."""
    image = Image.new("L", size)
    for left, top, right, bottom in boxes:
        ImageDraw.Draw(image).rectangle((left, top, right - 1, bottom - 1), fill=255)
    return np.asarray(image) == 255
