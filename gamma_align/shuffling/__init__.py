"""The corpus shuffling tool, and experiments made with it: published ones, run again, and one's own corpus degraded."""
