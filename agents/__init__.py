"""The shipped agents; they know observations only, never the world's truth."""

from kinewright_env.agent import Agent, Claim, Inputs, make

__all__ = ["Agent", "Claim", "Inputs", "make"]
