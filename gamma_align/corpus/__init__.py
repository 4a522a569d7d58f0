"""A measurement over the documents of a corpus: settings, execution, the public `gamma`."""
