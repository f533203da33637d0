"""Draw docs/page.png, the picture of the page in README: run ``python docs/page_picture.py`` after changing the page.

Needs Chromium (``LEGALIR_CHROMIUM``, or ``chromium`` on the path), playwright and pillow.
"""

from __future__ import annotations

import io
import os
import shutil
import threading
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

import uvicorn
from PIL import Image
from playwright.sync_api import sync_playwright

from legalir_serve.app import create_app
from legalir_serve.service import Service

PICTURE = Path(__file__).with_name("page.png")
QUESTION = "Must my pleasure craft be registered, and how is the number shown?"


def ready(address: str) -> bool:
    """Return True if all indexes are open."""
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except OSError:  # 503 among them.
        return False


def main() -> None:
    """Serve the bundled collections, open the page in a browser, and draw what it shows."""
    service = Service({name: f"legalir/{name}" for name in ("harbour", "firecode", "firecode-dated")})
    server = uvicorn.Server(uvicorn.Config(create_app(service, tools=False, timeout=300), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.1)
    port = server.servers[0].sockets[0].getsockname()[1]
    while not ready(f"http://127.0.0.1:{port}/v1/ready"):
        time.sleep(0.5)
    shots = []
    with sync_playwright() as playwright:
        found = os.environ.get("LEGALIR_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for path, query in (("/", {"q": QUESTION}), ("/provision", {"q": QUESTION, "docno": "reg-14"})):
            page = browser.new_page(viewport={"width": 1000, "height": 860}, locale="en-US")
            page.goto(f"http://127.0.0.1:{port}{path}?{urlencode(query)}", timeout=300_000)
            shots.append(Image.open(io.BytesIO(page.screenshot())))
        browser.close()
    server.should_exit = True
    thread.join(10)
    both = Image.new("RGB", (2020, 860), "#8c959f")
    for place, shot in enumerate(shots):
        both.paste(shot, (1020 * place, 0))
    both.resize((1414, 602), Image.Resampling.LANCZOS).quantize(96, dither=Image.Dither.NONE).save(
        PICTURE, optimize=True
    )


if __name__ == "__main__":
    main()
