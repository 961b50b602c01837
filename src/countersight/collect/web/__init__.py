"""The web pages of a campaign, rendered on the server and usable without JavaScript."""

from countersight.collect.web.app import PAGES, application, configuration_faults, serve

__all__ = ["PAGES", "application", "configuration_faults", "serve"]
