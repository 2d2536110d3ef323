"""Corridors: where a body would be, as convex pieces in whole micrometres."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import IncrementError
from .library import ffi, lib

__all__ = ["Corridor", "sweep"]

CORNERS: int = lib.KW_ROLLING_CORNERS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corridor:
    """The union of convex pieces seen from above, between two heights; closed.

    Attributes
    ----------
    pieces_um : (n, 2, 4) int64
        x and y of the four corners of each piece in `map`, counter-clockwise; corners may
        coincide. At most 4,096 pieces, each within 500 m of its first corner.
    low_um, high_um : int
        Heights in `map`.
    """

    pieces_um: NDArray[np.int64]
    low_um: int
    high_um: int

    def __post_init__(self) -> None:
        pieces = np.ascontiguousarray(self.pieces_um, dtype=np.int64)
        if pieces.ndim != 3 or pieces.shape[1:] != (2, CORNERS):
            raise IncrementError(
                f"corridor: pieces_um has shape {np.shape(self.pieces_um)}; allowed: (n, 2, 4)"
            )
        object.__setattr__(self, "pieces_um", pieces)

    @classmethod
    def box(cls, low_m: tuple[float, float, float], high_m: tuple[float, float, float]) -> Corridor:
        """Return the corridor that is a box along the axes of `map`, from one corner to the other.

        Raises
        ------
        IncrementError
            If a corner is not finite, or `low_m` is above `high_m`.
        """
        if not np.isfinite([low_m, high_m]).all() or any(
            low > high for low, high in zip(low_m, high_m, strict=True)
        ):
            raise IncrementError(f"corridor: no box goes from {low_m} to {high_m}")
        (x0, y0, z0), (x1, y1, z1) = (
            [round(value * 1e6) for value in corner] for corner in (low_m, high_m)
        )
        pieces = np.array([[[x0, x1, x1, x0], [y0, y0, y1, y1]]], dtype=np.int64)
        return cls(pieces_um=pieces, low_um=z0, high_um=z1)

    @classmethod
    def ahead(
        cls,
        pose: tuple[float, float, float, float],
        *,
        length_m: float,
        width_m: float,
        low_m: float,
        high_m: float,
    ) -> Corridor:
        """Return the corridor straight ahead of a pose (x, y, z, yaw), heights over the pose."""
        x_m, y_m, z_m, yaw_rad = pose
        here = [x_m, y_m, yaw_rad]
        body = {"ahead_m": length_m, "behind_m": 0.0, "beside_m": width_m / 2.0}
        return cls(
            pieces_um=sweep([here, here], **body),
            low_um=round((z_m + low_m) * 1e6),
            high_um=round((z_m + high_m) * 1e6),
        )

    def to_c(self) -> Any:
        """Return the C struct, which keeps the pieces alive."""
        try:
            struct = ffi.new("kw_rolling_corridor *")
            struct.low_um, struct.high_um = self.low_um, self.high_um
        except OverflowError:
            raise IncrementError(f"corridor: heights {self.low_um}, {self.high_um} um") from None
        struct.n_pieces = len(self.pieces_um)
        struct.pieces = ffi.cast("kw_rolling_piece *", ffi.from_buffer(self.pieces_um))
        return struct

    def digest(self) -> str:
        """Return the SHA-256 of heights and corners, the same on every machine."""
        heights = np.array([self.low_um, self.high_um], "<i8")
        digest = hashlib.sha256(heights.tobytes())
        digest.update(self.pieces_um.astype("<i8", copy=False).data)
        return digest.hexdigest()

    def outlines_m(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Return the corners of each piece, metres in `map`: what a viewer draws."""
        corners = (self.pieces_um / 1e6).transpose(0, 2, 1).tolist()
        return tuple(tuple((x_m, y_m) for x_m, y_m in piece) for piece in corners)


def sweep(
    poses: ArrayLike, *, ahead_m: float, behind_m: float, beside_m: float
) -> NDArray[np.int64]:
    """Return the pieces that a body sweeps along one or more ways; all of it lies within them.

    Parameters
    ----------
    poses : (n, 3) or (k, n, 3) array_like
        x m, y m, heading rad in `map`, on arcs from each to the next; turning less than 1 rad
        and moving less than 100 m from each to the next.
    ahead_m, behind_m, beside_m : float
        What the body reaches ahead of, behind and to either side of the pose, with its
        clearance.

    Returns
    -------
    (n - 1, 2, 4) or (k, n - 1, 2, 4) int64
        x and y of the corners of each piece, micrometres in `map`.

    Raises
    ------
    IncrementError
        If there are fewer than two poses or more than 4,097, or a figure is out of range.
    """
    rows = np.ascontiguousarray(poses, dtype=np.float64)
    if rows.ndim not in (2, 3) or rows.shape[-1] != 3:
        raise IncrementError(f"poses have shape {rows.shape}; allowed: (n, 3) or (k, n, 3)")
    *ways, n_poses, _ = rows.shape
    pieces = np.empty((*ways, max(n_poses - 1, 0), 2, CORNERS), np.int64)
    status = lib.kw_rolling_sweep(
        ffi.new("kw_rolling_body *", (ahead_m, behind_m, beside_m)),
        ways[0] if ways else 1,
        n_poses,
        ffi.cast("kw_pose *", ffi.from_buffer(rows)),
        ffi.cast("kw_rolling_piece *", ffi.from_buffer(pieces, require_writable=True)),
    )
    if status != lib.KW_OK:
        raise IncrementError(
            f"cannot sweep ({ahead_m}, {behind_m}, {beside_m}) m along {n_poses} poses: 2 to "
            "4,097, finite, less than 1 rad and 100 m apart; a body of 1 mm to 100 m"
        )
    return pieces
