"""What a leak is: growth that comes back with every batch of calls."""


def assert_stays(measure, work, limit, batches=3):
    """Assert that some batch of calls leaves less than `limit` behind.

    Caches, arenas and pages of the allocator grow once or now and then, a leak grows with every batch.
    """
    grown = []
    for _ in range(batches):
        before = measure()
        work()
        grown.append(measure() - before)
        if grown[-1] < limit:
            return
    raise AssertionError(f"{grown} more after each of {batches} batches, allowed {limit}")
