"""Statistics of documents or of items, and the result that they give together, the same way for γ, uα and coefficients.

`pooling.document_statistics` measures a part of the data, `pooling.pool` joins the parts. Not here: the measures
themselves (`gammas`, `unitizing`, `items`).
"""
