#!/usr/bin/env python3
"""Conjugate gradients: the true residual must be below 10 times the precision, x as SciPy's direct solution.

Makes the 5-point Laplacian of an edge x edge grid (identity added, so that it is well conditioned).
"""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"conjugate-gradient": ["x"], "conjugate-gradient-tasks": ["x"]}
CASES = [dict(edge=1, k=1), dict(edge=7, k=10), dict(edge=13, k=1), dict(edge=9, k=1000), dict(edge=6, k=12, max_rounds=3)]


def make(edge=1000, precision=1e-8, max_rounds=1000, k=62_500, shift=0.1, seed=1):
    from scipy import sparse
    line = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(edge, edge))
    matrix = sparse.csr_matrix(sparse.kron(line, sparse.eye(edge)) + sparse.kron(sparse.eye(edge), line)
                               + shift * sparse.eye(edge * edge))
    matrix.sort_indices()
    return {"values": matrix.data, "columns": matrix.indices.astype(np.int32), "ends": matrix.indptr[1:].astype(np.int32),
            "b": np.random.default_rng(seed).standard_normal(edge * edge), "precision": precision,
            "max_rounds": max_rounds, "k": k}


def check(values, columns, ends, b, x, precision, max_rounds, printed=None, **others):
    from scipy import sparse
    from scipy.sparse.linalg import spsolve
    matrix = sparse.csr_matrix((values, columns, np.concatenate([[0], ends])))
    residual = np.linalg.norm(b - matrix @ x)
    if printed and int(printed[0].split()[0]) == max_rounds:
        shown = float(printed[0].split()[1])
        if not abs(shown - residual) <= 1e-12 * np.linalg.norm(b): # it is computed by recurrence: rounded in units of b
            raise common.Wrong(f"it printed the residual {shown:.17g}, and it is {residual:.17g}")
        return f"stopped after {max_rounds} rounds at residual {residual:.2g}"
    if not residual <= 10 * precision:
        raise common.Wrong(f"the residual is {residual:.3g}, expected at most {10 * precision:.3g}")
    said = f"residual {residual:.2g}"
    if len(b) <= 10_000:
        said += f", x agrees with SciPy's to {common.close('x', x, spsolve(matrix.tocsc(), b), 100 * precision):.1e}"
    return said


common.main(globals())
