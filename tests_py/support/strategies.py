"""Random shapes, dtypes, layouts and elements of matrices for hypothesis."""

import hypothesis.extra.numpy
import matrices
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

# The same examples in every run: a red run can be repeated.
properties = settings(deadline=None, max_examples=100, derandomize=True, print_blob=True)

LARGEST_ORDER = 8
orders = st.integers(0, LARGEST_ORDER)
dtypes = st.sampled_from(matrices.DTYPES)
layouts = st.sampled_from(sorted(matrices.LAYOUTS))


def elements(dtype):
    """Finite numbers of every size, small integers among them; a sum of n squares of the roots cannot overflow."""
    real = matrices.real_dtype(dtype)
    largest = float(np.finfo(real).max) / (4 * LARGEST_ORDER**2)
    parts = st.one_of(
        st.integers(-3, 3).map(float),
        st.floats(-10, 10, width=32),
        st.floats(-float(real.type(largest)), float(real.type(largest)), width=real.itemsize * 8),
    )
    return st.builds(complex, parts, parts) if np.dtype(dtype).kind == "c" else parts


@st.composite
def square(draw, dtype, n=None):
    n = draw(orders) if n is None else n
    return draw(hypothesis.extra.numpy.arrays(dtype, (n, n), elements=elements(dtype), fill=st.nothing()))


@st.composite
def presented(draw, a):
    return matrices.LAYOUTS[draw(layouts)](a)[0]
