"""The web pages for people: rendered on the server, usable without JavaScript."""

from countersight.collect.web.app import PAGES, application, serve
from countersight.collect.web.configuration import configuration_faults

__all__ = ["PAGES", "application", "configuration_faults", "serve"]
