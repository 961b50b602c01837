"""The table that `make peers` ends with."""

import runpy
from pathlib import Path

PEERS = runpy.run_path(str(Path(__file__).parents[2] / "peers" / "__main__.py"), run_name="peers_table")
result_of, table = PEERS["result_of"], PEERS["table"]


def test_a_peer_passes_if_its_tool_opens_our_files_and_all_figures_are_equal():
    good = result_of("inspect_ai", 0, "exported 360 questions\nrun  factual   ours  0.500000   theirs  0.500000\n")
    other = result_of("lmms_eval", 0, "a ours  0.500000   theirs  0.250000\nb ours 1.0 theirs 1.0\n")
    broken = result_of("ms_swift", 1, "Traceback\nImportError: no swift\n\n")
    assert [each.good for each in (good, other, broken)] == [True, False, False]
    told = table([good, other, broken]).splitlines()
    assert told[1].split() == ["inspect_ai", "360", "questions", "yes", "1", "of", "1"]
    assert "1 of 2" in told[2]
    assert "NO" in told[3]
    assert "ImportError: no swift" in told[3]
