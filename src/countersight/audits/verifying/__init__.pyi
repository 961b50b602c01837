from .comparison import Finding as Finding
from .result import Verified as Verified
from .result import describe_result as describe_result
from .trust import Trust as Trust
from .verify import verify_bundle as verify_bundle
