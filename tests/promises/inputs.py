"""Made-up inputs: scene graphs in Visual Genome's layout, and questions in C-VQA's."""

import csv
import json
from itertools import product
from pathlib import Path

BEARERS = ("table", "tray", "shelf", "crate", "bench", "cart", "bed", "basket", "piano", "bucket", "fridge", "wagon")
UPON = ("pizza", "flowers", "apples", "candle", "books")
BESIDE = ("door", "tree", "backpack")
MOTIFS = (
    ((1, "on", 0), (2, "on", 1)),  # a chain
    ((1, "attached to", 0), (2, "attached to", 0), (2, "on", 1)),  # confounding
    ((2, "on", 0), (2, "attached to", 1)),  # a collision
    ((1, "on", 0), (2, "on", 0)),  # a fork
)
NOUNS = ("dogs", "cats", "cups", "plates", "books", "chairs", "horses", "birds", "cars", "boats", "trees", "lamps")
YES_NO = (
    ("Is the light on?", "yes"),
    ("Is there a dog?", "no"),
    ("Are the windows open?", "yes"),
    ("Is this a kitchen?", "no"),
    ("Are there any cars?", "yes"),
    ("Is he wearing a hat?", "no"),
)


def write_scene_graphs(path: Path) -> Path:
    """Scenes in which the same things are now first, now second, as `mine` reads them."""
    scenes = []
    for number, (place, step, third) in enumerate(product(range(len(BEARERS)), range(1, len(BEARERS), 2), UPON)):
        names = (BEARERS[place], BEARERS[(place + step) % len(BEARERS)], third, *BESIDE)
        things = [
            {"object_id": 10 * number + n, "names": [name], "x": 9 * n, "y": 20, "w": 30, "h": 40}
            for n, name in enumerate(names)
        ]
        relations = [
            {"relationship_id": 10 * number + n, "predicate": word, "subject_id": 10 * number + who,
             "object_id": 10 * number + of}
            for n, (who, word, of) in enumerate(MOTIFS[(number + number // 5 + number // 35) % 4])
        ]  # fmt: skip
        scenes.append({"image_id": number + 1, "objects": things, "relationships": relations})
    path.write_text(json.dumps(scenes))
    return path


def write_questions(path: Path) -> Path:
    """How-many and yes/no questions with their answers, as `build` reads them."""
    ways = ("How many {} are there?", "How many {} are in the picture?", "How many {} do you see?")
    many = [
        (way.format(noun), str(1 + (place * 5 + 3 * turn) % 12), "direct")
        for turn, way in enumerate(ways)
        for place, noun in enumerate(NOUNS)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["img_path", "query", "answer", "new query", "new answer", "type"])
        for number, (question, answer, kind) in enumerate([*many, *((*row, "boolean") for row in YES_NO)]):
            out.writerow([f"{number:04d}.png", question, answer, "", "", kind])
    return path
