"""The planner beside peers: what runs, on which grids, and what is said; not how fast it is."""

import json
import sys
from importlib.machinery import PathFinder
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from kinewright_env import speed_peers
from kinewright_env.cli import main
from kinewright_env.grids import PriceSearch
from kinewright_env.speed_grids import GRIDS, priced

SIDE = 80
FUNCTIONS = {"pyastar2d": "astar_path", "semita": "cheapest_path"}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Install a stand-in for a peer, which keeps what it is asked, and hides the others."""
    monkeypatch.setattr(speed_peers, "SIDE", SIDE)
    monkeypatch.syspath_prepend(tmp_path)
    here = lambda name: PathFinder.find_spec(name, [str(tmp_path)])  # noqa: E731
    monkeypatch.setattr(speed_peers, "find_spec", here)
    for peer in FUNCTIONS:
        monkeypatch.delitem(sys.modules, peer, raising=False)

    def install(peer: str, answer: str = "[start, goal]") -> None:
        text = f"asked = []\ndef {FUNCTIONS[peer]}(grid, start, goal, **options):\n"
        text += f"    asked.append((grid, start, goal, options))\n    return {answer}\n"
        (tmp_path / f"{peer}.py").write_text(text)
        told = tmp_path / f"{peer}-9.8.7.dist-info"
        told.mkdir()
        (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {peer}\nVersion: 9.8.7\n")

    yield install
    for peer in FUNCTIONS:
        sys.modules.pop(peer, None)


def status(*arguments: str) -> int:
    try:
        return main(["speed", "--quick", *arguments])
    except SystemExit as left:
        return left.code


def test_both_run_beside_ours_and_the_ratios_are_of_the_times(installed, capsys):
    installed("pyastar2d")
    installed("semita")
    assert status("--against", "semita,pyastar2d", "--json") == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert len(figures) == speed_peers.figure_count(["semita", "pyastar2d"])
    for group in (f"{title}, {SIDE} x {SIDE}" for title in GRIDS):
        value = {f["name"]: f["value"] for f in figures if f["group"] == group}
        for peer in ("semita", "pyastar2d"):
            ratio = value[f"{peer} 9.8.7"] / value["this planner"]
            assert value[f"{peer} over this planner"] == pytest.approx(ratio)
    ratios = [f for f in figures if " over " in f["name"]]
    assert len(ratios) == 2 * len(GRIDS)
    assert all(f["at_least"] == 1.0 and f["reached"] == (f["value"] >= 1.0) for f in ratios)


def test_peers_get_the_same_queries_and_prices_each_in_its_own_form(installed):
    installed("pyastar2d")
    installed("semita")
    list(speed_peers.rows(["pyastar2d", "semita"], quick=True))
    theirs, others = sys.modules["pyastar2d"].asked, sys.modules["semita"].asked
    assert len(others) == 3 * speed_peers.QUERIES * len(GRIDS)
    plain, scaled = theirs[::2], theirs[1::2]
    for one, two, (costs, *query, options) in zip(plain, scaled, others, strict=True):
        assert one[1:] == two[1:] == (*query, {"allow_diagonal": True})
        assert options == {}
        assert max(np.abs(np.subtract(*query))) >= SIDE // 2
        forms = (one[0], two[0])
        assert [grid.dtype for grid in (*forms, costs)] == [np.float32, np.float32, np.float64]
        assert all(grid.flags.c_contiguous for grid in (*forms, costs))
        closed = costs == 0
        assert all((np.isinf(weights) == closed).all() for weights in forms)
        assert (one[0][~closed] == costs[~closed]).all()
        assert two[0].min() == 1.0
        least = costs[~closed].min()
        np.testing.assert_allclose(two[0][~closed] * least, costs[~closed], rtol=1e-6)


def test_the_least_of_the_turns_counts_and_of_two_forms_the_faster_in_the_mean(monkeypatch):
    taken_ms = [5, 7, 1, 2, 6, 3, 4, 8]  # two turns of two queries of two forms
    ends = np.cumsum(taken_ms)
    times = iter((np.stack([ends - taken_ms, ends], axis=1).ravel() / 1e3).tolist())
    monkeypatch.setattr(speed_peers.time, "process_time", lambda: next(times))
    plans = {"peer": [lambda *_: "route", lambda *_: "route"]}
    costs = speed_peers._costs_ms(plans, [((0, 0), (9, 9)), ((0, 1), (9, 8))], 2)
    assert costs == {"peer": pytest.approx((3 + 2) / 2)}


def test_a_peer_that_finds_no_route_is_not_compared(installed, capsys):
    installed("semita", answer="None")
    assert status("--against", "semita") == 2
    assert "semita finds no route from" in capsys.readouterr().err


def test_one_that_is_not_installed_is_left_out_and_the_other_runs(installed, capsys):
    installed("semita")
    assert status("--against", "pyastar2d,semita") == 0
    out, err = capsys.readouterr()
    assert "left out, as it is not installed: pyastar2d\n" in err
    assert "semita over this planner" in out
    assert "pyastar2d" not in out


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("semita", "not installed: semita"),
        ("semitta", "did you mean 'semita'? Allowed: 'pyastar2d', 'semita'"),
        ("", "allowed: 'pyastar2d', 'semita'"),
    ],
)
def test_none_installed_and_an_unknown_name_are_errors(installed, capsys, named, said):
    assert status("--against", named) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert not out


def test_help_names_every_peer_and_imports_none(installed, capsys):
    for peer in speed_peers.PEERS:
        installed(peer)
    assert status("--help") == 0
    assert ", ".join(speed_peers.PEERS) in " ".join(capsys.readouterr().out.split())
    assert all(speed_peers.installed(peer) for peer in speed_peers.PEERS)
    assert not set(speed_peers.PEERS) & set(sys.modules)


@pytest.mark.parametrize("title", GRIDS)
def test_a_price_is_by_the_nearest_wall_and_the_grid_by_its_seed(title):
    closed = GRIDS[title](SIDE, np.random.default_rng(3))
    assert (closed == GRIDS[title](SIDE, np.random.default_rng(3))).all()
    walled = np.pad(closed, 8, constant_values=True)
    prices = priced(closed)
    for row, col in product(range(0, SIDE, 3), range(SIDE)):
        squares = (walled[row + 8 - n : row + 9 + n, col + 8 - n : col + 9 + n] for n in range(9))
        near = next((n for n, square in enumerate(squares) if square.any()), 9)
        assert prices[row, col] == (0 if near == 0 else max(1, 9 - near))


def test_every_cell_of_the_maze_and_of_the_rooms_is_reached_from_any():
    for title in ("maze, corridors of 4", "rooms"):
        prices = priced(GRIDS[title](150, np.random.default_rng(5)))
        start = np.argwhere(prices > 0)[0].tolist()
        assert ((PriceSearch(prices).reach(start) >= 0) == (prices > 0)).all()


def test_the_share_of_blocks_is_a_fifth():
    closed = GRIDS["random 20 %"](400, np.random.default_rng(7))
    assert closed.mean() == pytest.approx(0.2, abs=0.005)
