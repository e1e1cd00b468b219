"""The offline model: rules of an agent file instead of a language model."""

from pointsman.adapters.models.offline.checking import cross_faults, read_rules
from pointsman.adapters.models.offline.model import OfflineModel
from pointsman.adapters.models.offline.rules import OfflineRules

__all__ = ["OfflineModel", "OfflineRules", "cross_faults", "read_rules"]
