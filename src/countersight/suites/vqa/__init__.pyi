from .suite import OKVQA_NAME as OKVQA_NAME
from .suite import VQAV2_NAME as VQAV2_NAME
