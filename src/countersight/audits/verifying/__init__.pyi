from .finding import Finding as Finding
from .verify import Trust as Trust
from .verify import Verified as Verified
from .verify import tell_verified as tell_verified
from .verify import verified as verified
