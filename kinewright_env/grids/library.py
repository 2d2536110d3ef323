"""The agents' C library, which holds no scene, sensor or truth.

The only module that imports `_grid`. It refuses to load on a machine that does not compute
IEEE doubles.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .._grid import ffi, lib

if TYPE_CHECKING:
    from ..shells import Shell, Steering

__all__ = ["TICKS_PER_SECOND", "ffi", "lib", "to_c"]

TICKS_PER_SECOND: int = lib.KW_TICKS_PER_SECOND

if lib.kw_self_check() != lib.KW_OK:
    raise ImportError(
        "kinewright needs IEEE doubles, rounded to nearest, with subnormals and without fused "
        "products; this build or process computes otherwise. Rebuild it without flags such as "
        "-ffast-math or -mfpmath=387."
    )


@lru_cache(maxsize=64)
def to_c(declaration: "Shell | Steering") -> Any:
    """Return the C struct of a declaration, which nobody changes."""
    return declaration.to_c(ffi)
