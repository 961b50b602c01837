"""Step programs in the style of VisProg: one operation per line, parsed and interpreted here."""
