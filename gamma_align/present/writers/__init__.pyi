from .data import csv_pieces as csv_pieces
from .data import csv_rows as csv_rows
from .data import csv_text as csv_text
from .data import frame_columns as frame_columns
from .data import joined_rows as joined_rows
from .data import with_columns as with_columns
from .json_text import json_pieces as json_pieces
from .lines import aligned_lines as aligned_lines
