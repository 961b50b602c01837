"""The registration of CELLO as a suite."""

from typing import Final

from countersight.suites.suite import Suite

NAME: Final = "cello"

SUITE: Final = Suite(
    NAME,
    "CELLO: causal questions with two or four options about photographs of Visual Genome",
    "the authors' JSONL: img_id, question, graph_type, task_type, graph, objs, options, answer_index, data_id",
    "those of Visual Genome: VG_100K/ID.jpg and VG_100K_2/ID.jpg, or all in one folder",
    "countersight.suites.cello.files:LAYOUT",
    assembler="countersight.suites.cello.making:assemble",
    options={"folder": ("per_task", "wording")},
    title="CELLO",
    terms="countersight.suites.cello.terms:TERMS",
    described="countersight.suites.cello.statistics:CelloTally",
)
