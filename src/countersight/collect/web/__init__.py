"""The web pages for people: rendered on the server, usable without JavaScript."""

from countersight.collect.web.app import PAGES, application, configuration_faults, serve

__all__ = ["PAGES", "application", "configuration_faults", "serve"]
