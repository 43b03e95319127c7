"""A small MuZero that plays Catch, to see what the two gradient scalings do to learning.

`update.py` is the update of the weights as in the pseudocode; `learner.py` plays and trains,
`ablation.py` compares the scalings as `plan.py` lays down.
"""
