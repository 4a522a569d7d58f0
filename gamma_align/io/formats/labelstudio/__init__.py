"""Label Studio's exports."""
