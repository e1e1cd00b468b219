"""The numeric parts under the trained classifier."""

import numpy as np
import pytest

from pointsman.adapters.classifiers.arrays import Floats, Integers, softmax
from pointsman.adapters.classifiers.ngrams import WIDTH, NgramSpace, counted
from pointsman.adapters.classifiers.regression import fit_logistic, fit_softmax


def _clouds(count: int, width: int, classes: int) -> tuple[Floats, Integers]:
    chance = np.random.default_rng(0)
    labels = np.arange(count) % classes
    middles = chance.standard_normal((classes, width))
    rows = middles[labels] + chance.standard_normal((count, width))
    return rows.astype(np.float32), labels


@pytest.mark.parametrize(("count", "width"), [(200, 10), (30, 100)])
def test_the_fitted_weights_are_where_the_slope_vanishes(count: int, width: int) -> None:
    rows, labels = _clouds(count, width, 3)
    weights = fit_softmax(rows, labels, 3, penalty=0.01, steps=200, tolerance=1e-9)
    slope = rows.T @ (softmax(rows @ weights) - np.eye(3)[labels]) / count + 0.01 * weights
    assert np.abs(slope).max() < 2e-3


def test_starting_from_the_answer_stays_there() -> None:
    rows, labels = _clouds(200, 10, 3)
    weights = fit_softmax(rows, labels, 3, penalty=0.01, steps=200, tolerance=1e-9)
    again = fit_softmax(rows, labels, 3, penalty=0.01, steps=5, start=weights)
    assert np.allclose(again, weights, atol=1e-2)


def test_a_logistic_regression_gives_the_share_of_a_weighted_coin() -> None:
    rows = np.zeros((4, 1))
    found = fit_logistic(rows, np.array([1, 1, 0, 0]), np.array([3.0, 3, 1, 1]), penalty=1.0)
    assert 1 / (1 + np.exp(-found[-1])) == pytest.approx(0.75, abs=1e-4)


def test_a_text_of_unknown_grams_has_a_short_vector() -> None:
    space = NgramSpace.of(counted(["track my order", "where is my parcel"]))
    known, half, foreign = np.linalg.norm(
        space.vectors(counted(["track my order", "track my zyxwvut", "查一下物流"])), axis=1
    )
    assert known == pytest.approx(1.0, abs=0.1)
    assert foreign < 0.1 < half < known


def test_width_and_case_make_no_difference_to_the_grams() -> None:
    space = NgramSpace.of(counted(["track my order 12"]))
    one, other = space.vectors(counted(["Track my ORDER 12", "ｔｒａｃｋ　ｍｙ　ｏｒｄｅｒ　１２"]))
    assert one.shape == (WIDTH,)
    assert np.array_equal(one, other)
