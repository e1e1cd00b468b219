"""Softmax regression in numpy: L-BFGS with a fixed preconditioner.

The Hessian of the softmax loss is at most half the Gram matrix of the features, whatever the
weights are (Böhning 1992). That bound, inverted once, makes the steps well scaled, so that few are
needed even with badly conditioned features.
"""

import numpy as np

from pointsman.adapters.classifiers.arrays import Floats, Integers

_MEMORY = 8


def fit_softmax(
    rows: Floats,
    labels: Integers,
    classes: int,
    *,
    penalty: float,
    steps: int,
    start: Floats | None = None,
    tolerance: float = 1e-4,
) -> Floats:
    """Weights (features, classes) with about the least mean cross-entropy plus
    penalty / 2 · |weights|².

    Args:
        rows: float32 features; a constant one serves as bias.
        start: weights to start from.
    """
    count, width = rows.shape
    if count < width and start is None:
        # The weights are a sum of rows: as many unknowns as rows will do, with the same answer.
        square = rows.astype(np.float64) @ rows.T.astype(np.float64) + 1e-6 * np.eye(count)
        root = np.linalg.cholesky(square)
        inner = fit_softmax(
            root.astype(np.float32),
            labels,
            classes,
            penalty=penalty,
            steps=steps,
            tolerance=tolerance,
        )
        outer: Floats = (rows.T @ np.linalg.solve(root.T, inner)).astype(np.float32)
        return outer
    gram = rows.T @ rows
    gram /= np.float32(2 * count)
    gram[np.diag_indices(width)] += np.float32(penalty)
    bound = np.linalg.inv(gram)
    weights = np.zeros((width, classes), np.float32) if start is None else start.copy()
    loss, slope = _loss(rows, labels, weights, penalty)
    past: list[tuple[Floats, Floats]] = []
    for _ in range(steps):
        direction = _direction(bound, slope, past)
        rate, descent = 1.0, _dot(slope, direction)
        while True:
            tried = weights + np.float32(rate) * direction
            tried_loss, tried_slope = _loss(rows, labels, tried, penalty)
            if tried_loss <= loss + 1e-4 * rate * descent or rate < 1e-2:
                break
            rate *= 0.3
        if tried_loss >= loss:
            break
        gone, turned, gained = tried - weights, tried_slope - slope, loss - tried_loss
        weights, loss, slope = tried, tried_loss, tried_slope
        if _dot(gone, turned) > 0:
            past = [*past, (gone, turned)][-_MEMORY:]
        if gained < tolerance * loss:
            break
    return weights


def _loss(rows: Floats, labels: Integers, weights: Floats, penalty: float) -> tuple[float, Floats]:
    logits = rows @ weights
    logits -= logits.max(axis=1, keepdims=True)
    right = np.arange(len(labels)), labels
    at_right = logits[right]
    np.exp(logits, out=logits)
    totals = logits.sum(axis=1)
    loss = float(np.mean(np.log(totals) - at_right, dtype=np.float64))
    logits /= totals[:, None]
    logits[right] -= 1.0
    slope = rows.T @ logits
    slope /= np.float32(len(labels))
    slope += np.float32(penalty) * weights
    return loss + 0.5 * penalty * _dot(weights, weights), slope


def _direction(bound: Floats, slope: Floats, past: list[tuple[Floats, Floats]]) -> Floats:
    """The two loops of L-BFGS around the bound."""
    turned = slope.copy()
    shares = []
    for gone, turn in reversed(past):
        share = _dot(gone, turned) / _dot(gone, turn)
        turned -= np.float32(share) * turn
        shares.append(share)
    direction: Floats = bound @ turned
    if past:
        gone, turn = past[-1]
        direction *= np.float32(_dot(gone, turn) / _dot(turn, bound @ turn))
    for (gone, turn), share in zip(past, reversed(shares), strict=True):
        direction += np.float32(share - _dot(turn, direction) / _dot(gone, turn)) * gone
    return -direction


def _dot(left: Floats, right: Floats) -> float:
    return float(np.vdot(left, right))


def fit_logistic(
    rows: Floats,
    positive: Integers,
    weights: Floats,
    *,
    penalty: float,
    usual: Floats | None = None,
    steps: int = 30,
) -> Floats:
    """Coefficients of a weighted two-class logistic regression, by Newton's method; the last one is
    the bias.

    Args:
        penalty: of the coefficients' distance from the usual ones; the bias counts little.
        usual: coefficients; else zero, and the bias is free.
    """
    design = np.column_stack([rows, np.ones(len(rows))]).astype(np.float64)
    ridge = np.full(design.shape[1], penalty, np.float64)
    ridge[-1] = 1e-6 if usual is None else 1.0
    start = np.zeros(design.shape[1]) if usual is None else usual
    found = start.copy()

    def loss(tried: Floats) -> float:
        odds = design @ tried
        away = tried - start
        return float(weights @ (np.logaddexp(0, odds) - positive * odds) + ridge @ away**2 / 2)

    for _ in range(steps):
        sure = 1.0 / (1.0 + np.exp(-np.clip(design @ found, -30, 30)))
        slope = design.T @ (weights * (sure - positive)) + ridge * (found - start)
        bend = (design.T * (weights * np.maximum(sure * (1 - sure), 1e-6))) @ design
        step = np.linalg.solve(bend + np.diag(ridge), slope)
        before = loss(found)
        while loss(found - step) > before and np.abs(step).max() > 1e-6:
            step = step / 2
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    return found
