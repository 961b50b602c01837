"""A copy of a campaign while people work in it: the database as it stood at one moment, settings and pictures."""

import shutil
import sqlite3
from pathlib import Path

from countersight.collect.campaign import DATABASE, PICTURES, SECRET, SETTINGS, make_private
from countersight.collect.settings import read_settings
from countersight.errors import CampaignError
from countersight.files import Staging


def back_up(campaign: Path, folder: Path) -> None:
    """Copy a campaign with its SQLite database; one on PostgreSQL is copied by pg_dump."""
    read_settings(campaign / SETTINGS)
    if not (campaign / DATABASE).is_file():
        raise CampaignError(f"{campaign} has no SQLite database; copy the one on PostgreSQL with pg_dump")
    with Staging(folder) as staging:
        shutil.copytree(campaign / PICTURES, staging / PICTURES)
        for name in (SETTINGS, SECRET):
            if (campaign / name).is_file():
                shutil.copy2(campaign / name, staging / name)
        make_private(staging / DATABASE)
        source, copy = sqlite3.connect(campaign / DATABASE), sqlite3.connect(staging / DATABASE)
        try:
            source.backup(copy)
        finally:
            source.close()
            copy.close()
