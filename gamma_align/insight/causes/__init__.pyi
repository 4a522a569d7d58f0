from .findings import Example as Example
from .findings import Finding as Finding
from .pursuit import MIN_SHARE as MIN_SHARE
from .unaligned import suspicions as suspicions
