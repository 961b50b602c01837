from .verifying import Verified as Verified
from .verifying import verified as verified
from .verifying import verify as verify
