from .sign import sign_bundle as sign_bundle
from .sign import sign_off as sign_off
from .ssh import PublicKey as PublicKey
from .ssh import is_locked as is_locked
from .ssh import read_private_key as read_private_key
from .ssh import read_public_keys as read_public_keys
from .stamping import stamp_bundle as stamp_bundle
