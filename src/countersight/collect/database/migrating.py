"""Migrate a database to the current tables with Alembic, at every start."""

from importlib.resources import as_file, files

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from countersight.errors import CampaignError


def migrate(engine: Engine) -> None:
    """Bring the database up to date; raises if a newer Countersight wrote it."""
    with as_file(files(__package__) / "migrations") as folder, engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        scripts = ScriptDirectory.from_config(config)
        _refuse_newer(connection, scripts)
        with EnvironmentContext(config, scripts, fn=lambda revision, _: scripts._upgrade_revs("head", revision)) as run:
            run.configure(connection=connection, transactional_ddl=False)
            run.run_migrations()


def _refuse_newer(connection: Connection, scripts: ScriptDirectory) -> None:
    there = MigrationContext.configure(connection).get_current_revision()
    if there is not None and there not in {script.revision for script in scripts.walk_revisions()}:
        raise CampaignError(
            f"the database was written by a newer version of Countersight (table version {there}); install that version"
        )
