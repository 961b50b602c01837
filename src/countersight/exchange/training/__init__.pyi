from .conversations import export_llama_factory as export_llama_factory
from .conversations import export_llava as export_llava
from .conversations import export_ms_swift as export_ms_swift
from .rewards import reward as reward
from .trl import export_dpo as export_dpo
from .trl import export_grpo as export_grpo
from .trl import export_sft as export_sft
