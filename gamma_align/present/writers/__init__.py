"""Writers of tables: a module for each form, which renders any `Table`."""
