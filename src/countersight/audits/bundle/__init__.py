"""The files of a finished audit that others read: every case, participants and machines, limits, and the seal."""
