"""Grid maps drawn in the test: `#` is occupied, `.` free; the first line has the greatest j."""

import numpy as np

from kinewright_agents.replanner.grid_map import StaticGridMap


def drawn_map(drawing, cell_m=1.0, **radii):
    """Return the map, and the cell of each letter in the drawing."""
    lines = [line.strip() for line in drawing.strip().splitlines()]
    cells = np.array([list(line) for line in reversed(lines)])
    letters = {
        str(cells[j, i]): (i, j) for j, i in np.ndindex(cells.shape) if cells[j, i].isalpha()
    }
    return StaticGridMap(cells == "#", cell_m=cell_m, **radii), letters
