"""Programs that make what ships with Countersight; not part of the installed package."""
