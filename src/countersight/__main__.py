"""`python -m countersight` is the same as `countersight`."""

import sys

from countersight.cli import main

sys.exit(main())
