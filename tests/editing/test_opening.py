"""Editors are opened by name."""

import pytest

from countersight.editing.registry import EDITORS, open_editor
from countersight.errors import EditorError


def test_a_name_nobody_knows_is_answered_with_the_nearest():
    with pytest.raises(EditorError, match="did you mean 'exact'"):
        open_editor("exakt")


def test_every_editor_has_a_word_on_it():
    assert all(words.strip() for words in EDITORS.usages().values())
