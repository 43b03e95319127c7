"""Serves the site on this machine and follows changes of its sources.

The environment variable PORT names another port than 8000.
"""

import os
import socket
import sys


def main() -> None:
    port = os.environ.get("PORT", "8000")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        sys.exit(f"gradvalve: PORT={port} is not a port: give a number from 1 to 65535.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        try:
            probe.bind(("127.0.0.1", int(port)))
        except OSError as error:
            sys.exit(
                f"gradvalve: port {port} can't be used ({error.strerror}): "
                "stop the program that uses it, or name another with make serve PORT=8001."
            )
    address = f"http://127.0.0.1:{port}/"
    print(f"gradvalve: building the site; then look at {address} (Ctrl+C stops it)", flush=True)
    os.environ["GRADVALVE_SITE_URL"] = address
    # --livereload is what mkdocs means to do by default; with click 8.3 and later it doesn't.
    command = ["mkdocs", "serve", "--livereload", "--dev-addr", f"127.0.0.1:{port}"]
    os.execv(sys.executable, [sys.executable, "-m", *command])


if __name__ == "__main__":
    main()
