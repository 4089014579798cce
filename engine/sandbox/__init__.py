"""Where snippets run: limits, kernel layers, the zygote with its spare child, and the host that talks to it."""
