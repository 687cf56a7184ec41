"""Keep a private cluster for tests, and leave nothing of it behind.

Two processes watch over it. The keeper starts everything, adopts what is
orphaned, and in the end kills it and removes the folder: when the command has
ended, or when its pipe to the first process breaks since that was killed. If the
keeper is killed, the first process cleans up. Ports lie below those of outgoing
connections, as one of these may take a port while the controller is down.
"""

import ctypes
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


def poll(what, condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"cluster: no {what} after {seconds} s")
        time.sleep(0.01)


def listening(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def free_port():
    while listening(port := random.randrange(15000, 32000)):
        pass
    return port


class Private:
    """What all clusters have. Each sets folder, conf (what its clients find it by) and env."""

    def daemon(self, *command):
        with open(f"{self.folder}/{command[0]}.out", "a") as log:
            return subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def run(self, *command):
        return subprocess.run(command, env=self.env, capture_output=True, text=True)

    def serve(self, pipe):
        """Do what the lines of standard input say: the names of the methods above."""
        print(self.conf, flush=True)
        while pipe not in (ready := select.select([0, pipe], [], [])[0]) and ready:
            name = os.read(0, 100).decode().strip()  # a line at a time: each is answered before the next comes
            if not name:
                return 0
            getattr(self, name)()
            print("done", flush=True)
        return 1


def attend(command, cluster, pipe):
    """Run the command until it ends or the pipe breaks; return its status."""
    child = subprocess.Popen(command, env=cluster.env)
    ended = os.pidfd_open(child.pid)
    if pipe in select.select([ended, pipe], [], [])[0]:
        return 1
    status = child.wait()
    return status if status >= 0 else 128 - status


def children(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as f:
                found += map(int, f.read().split())
    except (FileNotFoundError, ProcessLookupError):
        pass  # it has ended
    return found


def end_all(but=()):
    """Kill all descendants of this subreaper until there are none, but for some children and what is below them."""
    while found := [pid for pid in children(os.getpid()) if pid not in but]:
        for pid in found:
            found += children(pid)
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for pid in found:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass
        time.sleep(0.002)


def clean_up(folder, clear):
    """End all that runs, then remove the folder."""
    end_all()
    shutil.rmtree(folder, ignore_errors=True)
    clear(folder)


def keep(folder, args, pipe, make, clear):
    """The keeper's life; returns its exit status."""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, signal.SIG_IGN)  # the pipe tells
    try:
        cluster = make(folder)
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            signal.signal(number, lambda *_: None)  # so that the command does not ignore it
        return cluster.serve(pipe) if args == ["--serve"] else attend(args, cluster, pipe)
    except (SystemExit, FileNotFoundError) as e:
        print(e, file=sys.stderr)
        return 1
    finally:
        clean_up(folder, clear)


def home():
    """Where folders of clusters lie: in CLUSTER_HOME, or /tmp where that is long, as paths of sockets must be short."""
    chosen = os.environ.get("CLUSTER_HOME", "/tmp")
    return chosen if len(chosen) < 60 else "/tmp"


def main(doc, prefix, make, clear=lambda folder: None):
    """Do what the arguments say with the cluster that make(folder) starts; clear removes what is outside of it."""
    args = sys.argv[1:]
    if not args:
        raise SystemExit(doc)
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER, not inherited
    folder = tempfile.mkdtemp(prefix=prefix, dir=home())
    os.chmod(folder, 0o711)
    pipe, ours = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        os.close(ours)
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
        os._exit(keep(folder, args, pipe, make, clear))
    os.close(pipe)

    def end(number, _):
        nonlocal ours
        if ours >= 0:
            os.close(ours)
            ours = -1
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, end)
    _, status = os.waitpid(keeper, 0)
    clean_up(folder, clear)
    sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)
