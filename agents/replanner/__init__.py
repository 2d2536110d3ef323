"""Grid-map replanners: state machines over a grid map whose output is the next subgoal.

Begin with `machines.py`.
"""
