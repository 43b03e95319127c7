"""Cuts the fonts from node_modules down to the characters and features that the site shows.

That is a third of their size. STIX Two Math alone would be 403 KB of mathematics, most of it never
written here. Characters outside of these sets fall back to the reader's fonts.
"""

from pathlib import Path

from fontTools import subset

LATIN = (
    "U+20-7E,U+A0-FF,U+131,U+152-153,U+2BB-2BC,U+2C6,U+2DA,U+2DC"
    ",U+2000-206F,U+20AC,U+2122,U+2190-2193,U+2212"
)
ARABIC = "U+600-6FF,U+200C-200E"
MATHEMATICS = (
    "U+20-7E,U+A0-B1,U+B4-B7,U+D7,U+F7"  # Latin, digits, signs
    ",U+131,U+237,U+300-304,U+307-308,U+30C,U+338"  # dotless i and j, accents
    ",U+391-3A9,U+3B1-3C9,U+3D1,U+3D5,U+3F5,U+1D6FC-1D71B"  # Greek, upright and italic
    ",U+1D434-1D467,U+210E,U+2113,U+1D4DB,U+2112"  # italic Latin, h, l, script L
    ",U+211D,U+1D53C,U+1D7D9"  # double-struck R, E, 1
    ",U+2016,U+2020-2022,U+2026,U+2032-2034,U+2061-2064,U+20D7"  # bars, dots, primes
    ",U+2190-2194,U+21A6,U+21D0-21D4,U+27F5-27FA"  # arrows
    ",U+2200-222B,U+2234-2237,U+223C,U+2243-2248,U+2260-226B,U+2282-2287,U+2295-2299"  # operators
    ",U+22A4-22A5,U+22C5,U+22EE-22F1"
    ",U+2308-230B,U+23DE-23DF,U+27E8-27E9"  # brackets
)
# No "calt": code has no ligatures, readers shall see the characters that they will type.
FEATURES = ["ccmp", "locl", "mark", "mkmk", "kern", "tnum"]

# The name under which a font is served: its file in node_modules, its characters, its features.
FONTS = {
    "inter.woff2": (
        "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
        LATIN,
        FEATURES,
    ),
    "vazirmatn.woff2": (
        "@fontsource-variable/vazirmatn/files/vazirmatn-arabic-wght-normal.woff2",
        ARABIC,
        ["*"],
    ),
    "jetbrains-mono.woff2": (
        "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
        LATIN,
        FEATURES,
    ),
    "stix-two-math.woff2": (
        "@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2",
        MATHEMATICS,
        FEATURES,
    ),
}


def provide(root: Path) -> list[Path]:
    """Return the site's font files, made anew when the packages or this file have changed.

    `root` is the project's folder; the files lie in its `.cache/fonts`.

    Raises FileNotFoundError if a font's package is not in `node_modules`.
    """
    sources = (Path(__file__), root / "package-lock.json")
    changed = max(source.stat().st_mtime for source in sources)
    paths = [root / ".cache/fonts" / name for name in FONTS]
    for path in paths:
        if not path.exists() or path.stat().st_mtime < changed:
            _cut(root / "node_modules", path)
    return paths


def _cut(packages: Path, path: Path) -> None:
    package, characters, features = FONTS[path.name]
    if not (packages / package).exists():
        raise FileNotFoundError(
            f"the font {packages / package} is missing: `make build` fetches it"
        )
    options = subset.Options(flavor="woff2", layout_features=features, recalc_timestamp=False)
    options.name_IDs = [*range(7), 13, 14]  # 13 and 14: their licence, which has to go with them
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=subset.parse_unicodes(characters))
    path.parent.mkdir(parents=True, exist_ok=True)
    # Aside first: a build that runs at the same time never reads half a font.
    unfinished = path.with_suffix(".unfinished")
    with subset.load_font(packages / package, options) as font:
        subsetter.subset(font)
        subset.save_font(font, unfinished, options)
    unfinished.replace(path)
