"""The pages people work on: rendered on the server, working without JavaScript."""

from countersight.collect.web.app import PAGES, application
from countersight.collect.web.server import serve

__all__ = ["PAGES", "application", "serve"]
