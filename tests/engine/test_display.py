"""Progress on one line: the count is always shown in full, and no line is too long for the terminal."""

import pytest
from rich.cells import cell_len

from countersight.engine import Tally
from countersight.engine.display import progress_line


def tally(done: int = 1_234, total: int = 6_000, failed: int = 3) -> Tally:
    made = Tally()
    made.answered, made.failed, made.total, made.limit = done - failed, failed, total, 64
    made.cut_or_empty["cut"] = 7
    return made


def test_a_wide_terminal_shows_the_name_the_count_and_the_figures():
    line = progress_line("gpt-4o", tally(), 100.0, 160)
    assert line.startswith("gpt-4o 1,234/6,000 20% 0:06:26 · 3 failed · 7 cut · 12/s")


@pytest.mark.parametrize("name", ["endpoint:http://" + "host." * 9, "通义千问视觉模型" * 9, "e\u0301" * 70])
@pytest.mark.parametrize("width", [40, 60])
def test_the_count_is_complete_after_a_long_name(name, width):
    line = progress_line(name, tally(), 100.0, width)
    assert width / 2 < cell_len(line) <= width
    assert "1,234/6,000 20% 0:06:26" in line


def test_the_servers_last_error_is_shown_as_far_as_it_fits():
    made = tally()
    made.trouble = "trying again for up to 10 minutes: cannot connect to 127.0.0.1:8000 (Connection refused)"
    assert progress_line("gpt-4o", made, 100.0, 80).endswith("12/s · trying again for up t")
    assert made.trouble in progress_line("gpt-4o", made, 100.0, 200)


@pytest.mark.parametrize("total", [0, 5])
def test_progress_without_questions_works(total):
    made = Tally()
    made.total = total
    assert "-:--:--" in progress_line("m", made, 0.0, 60)
