"""The shipped scenes, one TOML file each, installed as data."""
