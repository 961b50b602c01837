"""Programs that build files shipped with Countersight; not part of the installed package."""
