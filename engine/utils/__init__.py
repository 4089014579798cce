"""Around training: feeding data (`engine.utils.data`)."""
