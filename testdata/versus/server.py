"""A server on loopback that behaves badly: it writes its port, and a line a request into `requests`.

later   says for the first request 503 and Retry-After: 5; who comes earlier is banned
silent  accepts, and never answers; /b is answered
storm   has 503 for all in the first 10 s; then it serves one request after another, each in 0.2 s, also those whose
        client has gone; where 20 wait there is 503 for others
"""

import http.server
import queue
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

    def storm(self):
        global until
        until = until or time.monotonic() + 10
        done = threading.Event()
        try:
            if time.monotonic() < until:
                raise queue.Full
            turns.put_nowait(done)
        except queue.Full:
            return self.answer(503)
        done.wait()
        self.answer(200, "content\n")

    def log_message(self, *_):
        pass


def work():
    while True:
        done = turns.get()
        time.sleep(0.2)
        done.set()


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1000

    def handle_error(self, *_):
        pass  # a client that has gone


kind, lock, until, banned = sys.argv[1], threading.Lock(), None, False
turns = queue.Queue(20)
threading.Thread(target=work, daemon=True).start()
server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
