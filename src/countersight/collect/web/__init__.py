"""The pages people work on: rendered on the server, working without JavaScript."""

from countersight.collect.web.app import PAGES, application
from countersight.collect.web.server import configuration_faults, serve

__all__ = ["PAGES", "application", "configuration_faults", "serve"]
