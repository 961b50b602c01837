from .signatures import AllowedSigners as AllowedSigners
from .signatures import read_allowed_signers as read_allowed_signers
from .signatures import sign_bundle as sign_bundle
from .signatures import sign_off as sign_off
from .stamping import read_authorities as read_authorities
from .stamping import stamp_bundle as stamp_bundle
