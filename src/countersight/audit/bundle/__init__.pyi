from .verifying import verify as verify
