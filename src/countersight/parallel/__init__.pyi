from .cluster import ActorPlace as ActorPlace
from .cluster import join as join
from .cluster import leave as leave
from .cluster import places as places
from .ordered import in_order as in_order
