"""VLMEvalKit opens our tables, scores the choices, and its predictions come back: `python -m peers.vlmevalkit`.

VLMEvalKit is not on PyPI; ModelScope's package of it (ms-vlmeval) has the same classes.
"""

import os
import shutil

import countersight as cs
from countersight.exchange import import_run, run_figures
from peers.parrot import WORK, flowers, hand_over, hold, say


def main() -> None:
    """Ask every row with VLMEvalKit's prompt, and compare its accuracies with ours on the same predictions."""
    folder = flowers()
    tables = WORK / "flowers_kit"
    hand_over("vlmevalkit", folder, tables)
    os.environ["LMUData"] = str(tables)  # noqa: SIM112 - so it is spelled there
    from vlmeval.dataset import build_dataset
    from vlmeval.smp import dump

    kit = build_dataset("flowers_kit_4")
    assert type(kit).__name__ == "CustomMCQDataset", type(kit)
    for ending in ("xlsx", "tsv"):
        out = WORK / f"kit-{ending}" / "parrot"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        table = kit.data.copy().drop(columns="image")
        table["prediction"] = [say(kit.build_prompt(place)[-1]["value"])[0] for place in range(len(kit))]
        predictions = out / f"parrot_flowers_kit_4.{ending}"
        dump(table, str(predictions))
        accuracy = kit.evaluate(str(predictions), model="exact_matching", nproc=1).set_index("split")["Overall"]
        shutil.rmtree(WORK / f"from-kit-{ending}", ignore_errors=True)
        come = import_run("vlmevalkit", out, folder, WORK / f"from-kit-{ending}")
        ours = run_figures(cs.Run.open(come.run.path).scores().overall)
        hold(f"kit {ending}", {name: ours[name] for name in accuracy.index}, accuracy.astype(float).to_dict())


if __name__ == "__main__":
    main()
