from .atlas import similar_tasks as similar_tasks
from .crowds import MANY_ANNOTATORS as MANY_ANNOTATORS
from .crowds import is_crowd as is_crowd
from .look import look_at_disagreements as look_at_disagreements
from .look_options import LOOK_OPTIONS as LOOK_OPTIONS
from .look_result import Look as Look
from .look_result import LookCause as LookCause
from .look_result import LookValue as LookValue
