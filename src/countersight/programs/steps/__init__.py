"""Step programs in the manner of VisProg: one operation a line, parsed and interpreted by us."""
