"""Gamepads by posted events: what a stick says becomes whole numbers, and nothing else moves."""

import pytest

pygame = pytest.importorskip("pygame", reason="the window needs the extra `render`")

from kinewright_env import DriveEnv  # noqa: E402
from kinewright_env.viewer.gamepad import DEAD_ZONE  # noqa: E402

FIRST, SECOND = 3, 4
AT_REST = ((0, 0), frozenset())


@pytest.fixture
def env(monkeypatch):
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    made = DriveEnv(scene="senses_room", render_mode="human", ticks_per_step=1)
    made.reset(seed=1)
    yield made
    made.close()


def post(kind, **values):
    pygame.event.post(pygame.event.Event(kind, **values))


def push(axis, value, pad=FIRST):
    post(pygame.JOYAXISMOTION, instance_id=pad, joy=0, axis=axis, value=value)


def button(number, *, down=True, pad=FIRST):
    kind = pygame.JOYBUTTONDOWN if down else pygame.JOYBUTTONUP
    post(kind, instance_id=pad, joy=0, button=number)


def after_a_step(env):
    env.step([0.0, 0.0])
    inputs = env.inputs()
    return inputs.axes, inputs.buttons


def test_without_a_pad_nothing_is_pushed(env):
    assert after_a_step(env) == AT_REST


def test_forward_and_left_are_positive(env):
    push(1, -1.0)
    assert after_a_step(env)[0] == (1000, 0)
    push(1, 1.0)
    push(0, -1.0)
    assert after_a_step(env)[0] == (-1000, 1000)
    push(1, 0.0)
    push(0, 1.0)
    assert after_a_step(env)[0] == (0, -1000)


def test_a_worn_stick_rests_in_its_dead_zone_and_rises_evenly_from_there(env):
    for value, said in [
        (DEAD_ZONE, 0),
        (-DEAD_ZONE, 0),
        ((1.0 + DEAD_ZONE) / 2, -500),
        (7.0, -1000),
    ]:
        push(0, value)
        assert after_a_step(env)[0] == (0, said)


def test_other_axes_and_buttons_do_nothing(env):
    for axis in (2, 3, 4, 5):
        push(axis, -1.0)
    for number in (1, 2, 3, 9):
        button(number)
    assert after_a_step(env) == AT_REST


def test_a_button_that_was_only_tapped_brakes_for_a_step(env):
    button(0)
    button(0, down=False)
    assert after_a_step(env)[1] == {"brake"}
    assert after_a_step(env)[1] == frozenset()
    button(0)
    assert after_a_step(env)[1] == after_a_step(env)[1] == {"brake"}


def test_the_pad_that_was_moved_last_counts(env):
    push(1, -1.0)
    push(0, -1.0, pad=SECOND)
    assert after_a_step(env)[0] == (0, 1000)
    push(0, 0.0)
    assert after_a_step(env)[0] == (1000, 0)


def test_a_pad_that_is_pulled_out_lets_go(env):
    push(1, -1.0)
    button(0)
    after_a_step(env)
    post(pygame.JOYDEVICEREMOVED, instance_id=FIRST)
    after_a_step(env)
    assert after_a_step(env) == AT_REST
    post(pygame.JOYDEVICEREMOVED, instance_id=77)
    assert after_a_step(env) == AT_REST


def test_a_pad_that_is_gone_before_it_can_be_opened_does_no_harm(env):
    post(pygame.JOYDEVICEADDED, device_index=55, guid="")
    assert after_a_step(env) == AT_REST


def test_leaving_the_window_lets_go(env):
    push(1, -1.0)
    button(0)
    after_a_step(env)
    post(pygame.WINDOWFOCUSLOST)
    after_a_step(env)
    assert after_a_step(env) == AT_REST
