"""What a type checker knows of the public surface; `make lint` runs mypy over this file, nothing runs the file."""

from pathlib import Path
from typing import assert_type

import countersight as cs

flowers: cs.Dataset = cs.make("cvqa-synthetic", "flowers", size=60, seed=7)
run = cs.run(flowers, "embedded", out=Path("runs/embedded"))
assert_type(run, cs.Run)
assert_type(run.scores(), cs.Scores)
cs.run("flowers", lambda picture, question: "3", out="runs/mine", name="always three")
audit = cs.audit(flowers, "embedded", extractor="rules", editor="exact", judges=["exact"], cases=20, out="audits/e")
assert_type(audit, cs.Audit)
assert_type(cs.verify(audit), cs.Verified)
assert_type(cs.verify(audit).sound, bool)
assert_type(cs.open_model("chance"), cs.Model)


async def peers() -> None:
    """The asynchronous peers give the same nouns."""
    assert_type(await cs.run_async(flowers, "chance", out="runs/chance"), cs.Run)
