"""MuZero's tree search, in many trees at once."""

import numpy as np

C1, C2 = 1.25, 19652.0  # how much the prior counts, from the paper


def search(root, expand, noise, simulations, discount):
    """Return how often each action was visited at the root, [trees, actions].

    Args:
        root: `(value, reward, policy_logits, hidden_state)`, arrays [trees, ...].
        expand: a function of hidden states and actions that returns the same of the next states.
        noise: what is mixed into the prior of the root as its fourth part, [trees, actions], or
            None.
        simulations: how many nodes are added to each tree.
        discount: factor of the value of the next state.
    """
    tree = _Tree(root, noise, simulations, discount)
    for node in range(1, simulations + 1):
        parents, actions = tree.select()
        states = tree.hidden_state[tree.all, parents]
        tree.add(node, parents, actions, expand(states, actions))
        tree.back_up(node)
    return tree.visits[:, 0]


class _Tree:
    """Arrays over [trees, nodes] and, where an edge is meant, [trees, nodes, actions]."""

    def __init__(self, root, noise, simulations, discount):
        _, _, logits, hidden_state = root
        trees, actions = logits.shape
        nodes = simulations + 1
        self.all = np.arange(trees)
        self.discount = discount
        self.hidden_state = np.empty((trees, nodes, hidden_state.shape[-1]), hidden_state.dtype)
        self.prior = np.empty((trees, nodes, actions))
        self.value = np.empty((trees, nodes))
        self.reward = np.empty((trees, nodes))
        self.parent = np.empty((trees, nodes), int)
        self.action = np.empty((trees, nodes), int)
        self.child = np.full((trees, nodes, actions), -1)
        self.visits = np.zeros((trees, nodes, actions))
        self.returns = np.zeros((trees, nodes, actions))  # sums over the visits
        self.low, self.high = np.full(trees, np.inf), np.full(trees, -np.inf)
        self.hidden_state[:, 0], self.prior[:, 0] = hidden_state, _softmax(logits)
        if noise is not None:
            self.prior[:, 0] = 0.75 * self.prior[:, 0] + 0.25 * noise

    def select(self):
        """Walk down each tree to an edge without a child; return its parents and actions."""
        parents, actions = np.zeros_like(self.all), np.zeros_like(self.all)
        trees, nodes = self.all, parents
        while trees.size:
            chosen = np.argmax(self.scores(trees, nodes), axis=-1)
            parents[trees], actions[trees] = nodes, chosen
            child = self.child[trees, nodes, chosen]
            trees, nodes = trees[child >= 0], child[child >= 0]
        return parents, actions

    def scores(self, trees, nodes):
        visits = self.visits[trees, nodes]
        total = visits.sum(axis=-1, keepdims=True) + 1  # and the visit that made the node
        weight = np.sqrt(total) / (1 + visits) * (C1 + np.log1p((total + 1) / C2))
        quality = self.returns[trees, nodes] / np.maximum(visits, 1)
        low, width = self.low[trees, None], (self.high - self.low)[trees, None]
        with np.errstate(
            divide="ignore", invalid="ignore"
        ):  # before the first visits there is no range
            quality = np.where(width > 0, (quality - low) / width, quality)
        return np.where(visits > 0, quality, 0) + self.prior[trees, nodes] * weight

    def add(self, node, parents, actions, output):
        value, reward, logits, hidden_state = output
        self.child[self.all, parents, actions] = node
        self.parent[:, node], self.action[:, node] = parents, actions
        self.value[:, node], self.reward[:, node] = value, reward
        self.hidden_state[:, node], self.prior[:, node] = hidden_state, _softmax(logits)

    def back_up(self, node):
        """Add the value of the new node to all edges above it."""
        trees, nodes, value = self.all, np.full_like(self.all, node), self.value[:, node]
        while trees.size:
            edge = trees, self.parent[trees, nodes], self.action[trees, nodes]
            value = self.reward[trees, nodes] + self.discount * value
            self.visits[edge] += 1
            self.returns[edge] += value
            mean = self.returns[edge] / self.visits[edge]
            self.low[trees] = np.minimum(self.low[trees], mean)
            self.high[trees] = np.maximum(self.high[trees], mean)
            below_root = edge[1] > 0
            trees, nodes, value = trees[below_root], edge[1][below_root], value[below_root]


def _softmax(logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
