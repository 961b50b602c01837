"""Work that survives being killed: journal, retries, the adaptive limit, tally and display."""
