def written(o):
    return repr(o)
