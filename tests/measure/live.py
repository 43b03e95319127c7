"""Measure what live examples cost the reader on the built site: bytes, and time in Chromium."""

import functools
import gzip
import http.server
import statistics
import threading
from pathlib import Path

import chromium
from playwright.sync_api import sync_playwright

SITE = Path(__file__).parents[2] / "site"
EXAMPLE = ".gv-live >> nth=0"  # of the start page
SCRIPTS = "assets/javascripts"
AT_FIRST, AT_FIRST_USE = ["live.js"], ["live-worker.js", "micropython.wasm"]
MOST = 300_000  # bytes that an example may add to a page and its first use
MOVES = 20
PARTS = ["building", "differentiating", "evaluating", "drawing"]
# A ladder of products and sums, and what each part of the work takes in microseconds.
CODE = """
import time
from gradvalve.graph import evaluate, gradients, variable
from gradvalve.live import plot, show, slider

times = [time.ticks_us()]
x = y = variable("x", slider("x", 0.5, 0, 0.9, 0.001))
for _ in range({nodes} // 2):
    y = y * x + x
times.append(time.ticks_us())
gradient = gradients(y, [x])[0]
times.append(time.ticks_us())
values = evaluate([y, gradient])
times.append(time.ticks_us())
{drawing}
times.append(time.ticks_us())
print("took:", [time.ticks_diff(b, a) for a, b in zip(times, times[1:])])
"""
DRAWINGS = {
    "plot of 50 bars": 'plot(list(range(50)), [("gradient", [values[1]] * 50)], "bars")',
    "show": "show(y, [x])",
}
# Presses a button or moves a slider, and returns the milliseconds until the output has changed.
UNTIL_OUTPUT = """([example, action]) => new Promise(resolve => {
  const start = performance.now()
  const observer = new MutationObserver(() => {
    observer.disconnect()
    resolve(performance.now() - start)
  })
  observer.observe(example.querySelector(".gv-live__output"), { childList: true })
  if (action === "run") return example.querySelector("[data-action=run]").click()
  const slider = example.querySelector("input")
  slider.value = action
  slider.dispatchEvent(new Event("input", { bubbles: true }))
})"""


def transferred(names):
    """Return the bytes of these scripts as a server sends them."""
    return sum(len(gzip.compress((SITE / SCRIPTS / name).read_bytes())) for name in names)


def until_output(page, action):
    return page.evaluate(UNTIL_OUTPUT, [page.query_selector(EXAMPLE), action])


def moves(page, nodes, drawing):
    """Return the milliseconds of each slider move, and of each move's parts; or what went wrong."""
    page.locator(EXAMPLE).locator("textarea").fill(CODE.format(nodes=nodes, drawing=drawing))
    until_output(page, "run")
    totals, parts = [], []
    for number in range(MOVES):
        total = until_output(page, str(0.3 + number / 1000))
        printed = page.locator(EXAMPLE).locator(".gv-text").all_inner_texts()
        if not printed:  # stopped by the time limit, for instance
            return page.locator(EXAMPLE).locator(".gv-error").inner_text()
        totals.append(total)
        took = printed[-1].partition("[")[2].partition("]")[0]
        parts.append([int(each) / 1000 for each in took.split(",")])
    return totals, parts


def measure(browser, base):
    page = browser.new_page()
    page.goto(base)
    print(f"click to first result, cold: {until_output(page, 'run'):.0f} ms")
    warm = statistics.median(until_output(page, "run") for _ in range(MOVES))
    print(f"click to result, warm: {warm:.0f} ms")
    for nodes in (250, 2500):
        for name, drawing in DRAWINGS.items():
            name = f"slider move, {nodes} nodes, {name}"
            measured = moves(page, nodes, drawing)
            if isinstance(measured, str):
                print(f"{name}: {measured}")
                continue
            totals, parts = measured
            medians = [statistics.median(part) for part in zip(*parts, strict=True)]
            total = statistics.median(totals)
            shares = ", ".join(f"{part} {ms:.1f}" for part, ms in zip(PARTS, medians, strict=True))
            rest = total - sum(medians)
            print(f"{name}: {total:.1f} ms ({shares}, the page {rest:.1f})")


def main():
    """Print what live examples cost; return whether they load no more bytes than they may."""
    if not (SITE / SCRIPTS / "live.js").exists():
        raise FileNotFoundError(f"{SITE} has no live examples: run make build first")
    first, use = transferred(AT_FIRST), transferred(AT_FIRST_USE)
    print(f"\nlive examples: {first} bytes with the page, {use} more with their first use")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=SITE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(**chromium.launch_options())
            measure(browser, f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()
    return first + use <= MOST
