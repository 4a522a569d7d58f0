from .agreement import save_documents as save_documents
from .axes import check_plot as check_plot
