"""Checks all pages:  python -m gradvalve_site.checks [--repair]"""

import argparse
import sys
from pathlib import Path

from gradvalve_site.checks import check, repair

DOCS = Path("docs")

parser = argparse.ArgumentParser(prog="gradvalve_site.checks", description=__doc__)
parser.add_argument("--repair", action="store_true", help="repair the typography first")
if parser.parse_args().repair:
    repair(DOCS)
complaints = list(check(DOCS))
for complaint in complaints:
    print(complaint)
sys.exit(any(complaint.fatal for complaint in complaints))
