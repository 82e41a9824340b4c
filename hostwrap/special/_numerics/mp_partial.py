"""Mixed partial derivatives of a definition."""


def partial(mp, function, point, orders):
    """Of these orders; the function itself, without the higher precision of a derivative, if they are all 0."""
    return mp.diff(function, point, orders) if any(orders) else function(*point)
