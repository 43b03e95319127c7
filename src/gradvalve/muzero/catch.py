"""The game Catch, many at once: a ball falls, a paddle on the bottom row moves to catch it."""

import numpy as np

LEFT, STAY, RIGHT = ACTIONS = range(3)


class Catch:
    """Games that began together.

    Each step moves the paddle by at most one column and the ball down by one row. When the ball
    reaches the bottom row, after `rows - 1` steps, the reward is 1 if the paddle is there and -1
    if it isn't; before that it is 0.

    Args:
        rows, columns: size of the board, at least 2 and 1.
        ball: the column of each game's ball, an integer array of any shape.

    Raises:
        ValueError: the board is too small, or a ball isn't on it.

    Source:
        The game of the same name in bsuite (Osband et al., Behaviour suite for reinforcement
        learning, ICLR 2020).
    """

    def __init__(self, rows, columns, ball):
        if rows < 2 or columns < 1:
            raise ValueError(f"a board needs 2 rows and 1 column or more, not {rows} and {columns}")
        ball = np.asarray(ball)
        check_integers("ball", ball, columns)
        self.rows, self.columns, self.row, self.ball = rows, columns, 0, ball
        self.paddle = np.full(ball.shape, columns // 2)

    def image(self):
        """Return the boards, bool [..., rows * columns]: true where the ball or the paddle is."""
        image = np.zeros((*self.ball.shape, self.rows, self.columns), bool)
        columns = np.arange(self.columns)
        image[..., self.row, :] |= self.ball[..., None] == columns
        image[..., -1, :] |= self.paddle[..., None] == columns
        return image.reshape(*self.ball.shape, -1)

    def step(self, action):
        """Move all paddles and balls; return the rewards.

        Raises:
            ValueError: an action isn't 0, 1 or 2, or there isn't one for each game.
            RuntimeError: the games are over.
        """
        action = np.asarray(action)
        if self.row == self.rows - 1:
            raise RuntimeError("the games are over; begin new ones with Catch(rows, columns, ball)")
        if action.shape != self.ball.shape:
            raise ValueError(f"action has shape {action.shape}, but the games {self.ball.shape}")
        check_integers("action", action, len(ACTIONS))
        self.row += 1
        self.paddle = np.clip(self.paddle + action - STAY, 0, self.columns - 1)
        caught = np.where(self.paddle == self.ball, 1.0, -1.0)
        return caught if self.row == self.rows - 1 else np.zeros_like(caught)

    def best_return(self):
        """Return what can still be reached: 1 or -1."""
        reachable = np.abs(self.ball - self.paddle) <= self.rows - 1 - self.row
        return np.where(reachable, 1.0, -1.0)


def check_integers(name, numbers, end):
    """Raise a ValueError unless all numbers are integers from 0 to `end - 1`."""
    if not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(f"{name} must hold integers, but its dtype is {numbers.dtype}")
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < end:
        raise ValueError(
            f"{name} must hold integers from 0 to {end - 1}, "
            f"but holds {numbers.min()} to {numbers.max()}"
        )
