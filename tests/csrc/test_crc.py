"""Both ways to the records' CRC-32, by tables and by folding, give zlib's."""

import random
import zlib
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module", params=["tables", "folding"])
def crc32(request: pytest.FixtureRequest, common: Any) -> Any:
    """Return the sum in one of its ways, as a function of bytes."""
    ffi, lib = common
    crc = ffi.new("kw_crc *")
    lib.kw_crc_prepare(crc)
    if request.param == "tables":
        crc.folds = False
    elif not crc.folds:
        pytest.skip("this processor or build multiplies no numbers without carries")
    return lambda data: lib.kw_crc32(crc, ffi.from_buffer("uint8_t[]", data), len(data))


def test_every_length_and_alignment_gives_zlibs_sum(crc32: Any) -> None:
    data = memoryview(random.Random(1).randbytes(340))
    for length in range(301):
        for start in (0, 1, 7, 16, 33):
            part = data[start : start + length]
            assert crc32(part) == zlib.crc32(part), (start, length)


def test_long_ones_give_zlibs_sum(crc32: Any) -> None:
    draw = random.Random(2)
    for _ in range(40):
        data = draw.randbytes(draw.randrange(300, 200_000))
        assert crc32(data) == zlib.crc32(data), len(data)


def test_every_bit_of_a_record_tells(crc32: Any) -> None:
    data = bytearray(217)
    sums = {crc32(data)}
    for bit in range(8 * len(data)):
        data[bit // 8] ^= 1 << bit % 8
        sums.add(crc32(data))
        data[bit // 8] ^= 1 << bit % 8
    assert len(sums) == 1 + 8 * len(data)


def test_a_processor_that_multiplies_without_carries_folds(common: Any) -> None:
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists() or " pclmulqdq " not in cpuinfo.read_text(encoding="utf-8"):
        pytest.skip("no such processor known here")
    ffi, lib = common
    crc = ffi.new("kw_crc *")
    lib.kw_crc_prepare(crc)
    assert crc.folds
