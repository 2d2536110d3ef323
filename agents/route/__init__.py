"""Route: a map of the whole drive, a plan through it, an honest end."""
