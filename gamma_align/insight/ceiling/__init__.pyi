from .ceiling import range_by_annotators as range_by_annotators
from .ceiling_options import APPROXIMATE_MEASURES as APPROXIMATE_MEASURES
from .ceiling_options import CEILING_OPTIONS as CEILING_OPTIONS
from .ceiling_options import GAMMA as GAMMA
from .ceiling_options import MAJORITY as MAJORITY
from .ceiling_result import Ceiling as Ceiling
from .ceiling_result import CeilingScore as CeilingScore
