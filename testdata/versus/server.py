"""A server on loopback that behaves badly: it writes its port, and a line a request into `requests`.

later   says for the first request 503 and Retry-After: 5; who comes earlier is banned
silent  accepts, and never answers; /b is answered
"""

import http.server
import sys
import threading
import time


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with lock, open("requests", "a") as log:
            log.write(f"{time.monotonic():.3f} {self.path}\n")
        getattr(self, kind)()

    def answer(self, status, text="", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", len(text))
        self.end_headers()
        self.wfile.write(text.encode())

    def later(self):
        global until, banned
        now = time.monotonic()
        if until is None:
            until = now + 5
            return self.answer(503, Retry_After="5")
        banned = banned or now < until
        if banned:
            return self.answer(403)
        self.answer(200, "content\n")

    def silent(self):
        if self.path == "/b":
            return self.answer(200, "content\n")
        time.sleep(600)

    def log_message(self, *_):
        pass


kind, lock, until, banned = sys.argv[1], threading.Lock(), None, False
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
