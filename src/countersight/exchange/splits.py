"""Split a dataset into train and test by picture: cases that share a picture in either world are in the same split.

The split of a picture depends only on its bytes, so that exports and datasets with the same pictures agree on it.
"""

import hashlib
import re
from typing import Final, Literal

from countersight.case import Case
from countersight.dataset import Dataset, published_file
from countersight.errors import ExchangeError
from countersight.exchange.formats import Export

Side = Literal["train", "test"]
TESTED: Final = 5
"""One of this many pictures is in the test split."""


class Splits:
    """Assigns every case of a dataset to a split, after one pass that finds connected pictures."""

    def __init__(self, dataset: Dataset) -> None:
        self._whole = published_side(dataset)
        self._parents: dict[int, int] = {}
        if self._whole is None:
            for _, case in dataset.cases():
                first, *others = _pictures(case)
                for other in others:
                    lower, upper = sorted((self._root(first), self._root(other)))
                    self._parents[upper] = lower

    def side(self, case: Case) -> Side:
        """Return the split of a case."""
        if self._whole is not None:
            return self._whole
        return "test" if self._root(_pictures(case)[0]) % TESTED == 0 else "train"

    def _root(self, picture: int) -> int:
        while (above := self._parents.get(picture, picture)) != picture:
            picture = above
        return picture


def published_side(dataset: Dataset) -> Side | None:
    """Return the split to which all cases of a published benchmark belong; None for generated datasets.

    Benchmarks, and datasets built from their questions, are test data, unless the name of the authors' file says that
    it is their training split.
    """
    file = published_file(dataset.path)
    if not file:
        return None
    return "train" if re.search(r"(?<![a-z])train", file.casefold()) else "test"


def refuse_testing(order: Export, dataset: Dataset) -> None:
    """Raise if a training file would contain test data, unless that was requested."""
    if order.train_on_test:
        return
    if published_side(dataset) == "test":
        raise ExchangeError(
            f"{dataset.path} contains, or was built from, questions of a published benchmark "
            f"({published_file(dataset.path)})"
            "; a model trained on them can no longer be tested with it. To export them anyway, set `yes_train_on_test`"
        )
    if order.split != "train":
        raise ExchangeError(
            f"the split {order.split!r} contains test pictures; export the `split` train, or set `yes_train_on_test`"
        )


def _pictures(case: Case) -> list[int]:
    """Return the pictures of a case in both worlds, each as a number that depends on its bytes."""
    known = [case.image_digest or case.image, case.counterfactual_digest or case.counterfactual_image]
    known += case.further_digests or case.further_images
    names = [name for name in known if name] or [case.id]
    return [int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big") for name in names]
