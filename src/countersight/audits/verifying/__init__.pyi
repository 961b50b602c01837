from .findings import Finding as Finding
from .trust import Trust as Trust
from .verify import Verified as Verified
from .verify import describe_result as describe_result
from .verify import verify_bundle as verify_bundle
