"""`python -m kinewright_env` is the command `kinewright`."""

import sys

from .cli import main

sys.exit(main())
