from . import forms as forms
from .insight import compare as compare
from .insight import rounds as rounds
from .insight import unit_changes as unit_changes
from .report import html_changes as html_changes
from .report import html_report as html_report
