from .sign import sign_bundle as sign_bundle
from .sign import sign_off as sign_off
from .ssh import AllowedSigners as AllowedSigners
from .ssh import read_allowed_signers as read_allowed_signers
from .stamping import read_authorities as read_authorities
from .stamping import stamp_bundle as stamp_bundle
