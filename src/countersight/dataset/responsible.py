"""The fields of Croissant's RAI extension: what we know of a dataset ourselves, and what a person must add.

NeurIPS asks for the fields of `DEMANDED` in every new dataset. Nothing is made up here: what is not known is left out
and named.
"""

from pathlib import Path
from typing import Any, Final

from countersight import __version__

DEMANDED: Final = (
    "rai:dataLimitations",
    "rai:dataBiases",
    "rai:personalSensitiveInformation",
    "rai:dataUseCases",
    "rai:dataSocialImpact",
    "rai:hasSyntheticData",
    "prov:wasDerivedFrom",
    "prov:wasGeneratedBy",
)
RAI_FIELDS: Final = (
    *DEMANDED,
    "rai:dataCollection",
    "rai:dataCollectionType",
    "rai:dataCollectionMissingData",
    "rai:dataCollectionRawData",
    "rai:dataCollectionTimeframe",
    "rai:dataImputationProtocol",
    "rai:dataManipulationProtocol",
    "rai:dataPreprocessingProtocol",
    "rai:dataAnnotationProtocol",
    "rai:dataAnnotationPlatform",
    "rai:dataAnnotationAnalysis",
    "rai:dataReleaseMaintenancePlan",
    "rai:annotationsPerItem",
    "rai:annotatorDemographics",
    "rai:machineAnnotationTools",
)
"""All fields that are known."""

_DRAWN: Final[dict[str, Any]] = {
    "rai:hasSyntheticData": True,
    "rai:personalSensitiveInformation": "None: every picture is drawn by a program and shows simple shapes.",
    "rai:dataBiases": "Shapes, colours, counts and right answers are drawn by chance, as the card says; all questions "
    "are in English and follow templates.",
    "rai:dataLimitations": "Drawn scenes of simple shapes, asked about in templates: what a model can do here is no "
    "measure of what it can do with photographs.",
    "rai:dataUseCases": "Testing whether vision-language models can tell what would be true if something in the "
    "picture were otherwise; training, on sets made from other seeds.",
    "rai:dataCollection": "Made by a program from a seed; nothing was collected from people or from the web.",
    "rai:machineAnnotationTools": f"Right answers are computed from the drawn scene by Countersight {__version__}.",
    "prov:wasDerivedFrom": "Nothing: every picture is drawn from a seed.",
}
_DRAWN_FROM: Final = ("scenes.jsonl", "worlds.jsonl")
"""What we drew has the file of what it was drawn from beside it."""
_PUBLISHED: Final = "Imported from the authors' file {file} of {suite}; what they publish about it holds."


def known_facts(folder: Path, provenance: dict[str, str]) -> dict[str, Any]:
    """What we know of a dataset that was made as `provenance` says: we drew it where its scenes or worlds are there."""
    made = ", ".join(f"{key} {value}" for key, value in provenance.items() if key != "countersight")
    told: dict[str, Any] = {"prov:wasGeneratedBy": f"Countersight {__version__}: {made}" if made else ""}
    if "file" in provenance:
        told["prov:wasDerivedFrom"] = _PUBLISHED.format(
            file=provenance["file"], suite=provenance.get("suite", "a suite")
        )
    elif any((folder / name).is_file() for name in _DRAWN_FROM):
        told |= _DRAWN
    return {name: value for name, value in told.items() if value != ""}


def missing_facts(card: dict[str, Any]) -> list[str]:
    """The demanded fields that a card does not have."""
    return [name for name in DEMANDED if name not in card]
