from pathlib import Path
JOURNAL = Path(__file__).with_name("selftest.kwj")
