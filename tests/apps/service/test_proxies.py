"""The recipes of nginx and Caddy on the page of the service, as they are printed, in front of the service, with TLS."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import ssl
import subprocess
from urllib.parse import urlsplit

import httpx
import pytest
from places import ROOT
from served import API, served

pytestmark = pytest.mark.release
HOST = "annotation.example.org"
PAGE = (ROOT / "docs" / "look_up" / "service.md").read_text(encoding="utf-8")
OPTIONS = ("--token", "secret", "--allow-host", HOST, "--root-path", "/agreement")
NGINX = """daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{}}
http {{
access_log off;
client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
{server}
}}
"""
CADDY = "{{\nadmin off\nauto_https disable_redirects\nskip_install_trust\n}}\n{site}\n"


def recipe(language, first):
    """Return the block of the page that begins with these words."""
    return next(code for code in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) if code.startswith(first))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """The files of a certificate for the host and of its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    folder = tmp_path_factory.mktemp("certificate")
    pem = folder / "cert.pem"
    key = folder / "key.pem"
    made = ["-keyout", key, "-out", pem, "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *made], check=True, capture_output=True)
    return pem, key


def configured(program, folder, service, port, certificate):
    """Return the command of a proxy, with the recipe of the page for these ports and this certificate."""
    pem, key = certificate
    own = f"127.0.0.1:{urlsplit(service).port}"
    file = folder / f"{program}.conf"
    if program == "nginx":
        server = recipe("nginx", "server").replace("listen 443", f"listen 127.0.0.1:{port}")
        server = re.sub(r"/etc/ssl/private/[^;]*", str(key), server)
        server = re.sub(r"/etc/ssl/[^;]*\.pem", str(pem), server)
        file.write_text(NGINX.format(folder=folder, server=server.replace("127.0.0.1:8123", own)), encoding="utf-8")
        return ["-p", folder, "-c", file]
    site = recipe("text", HOST).replace(f"{HOST} {{", f"https://{HOST}:{port} {{\n    tls {pem} {key}", 1)
    file.write_text(CADDY.format(site=site.replace("127.0.0.1:8123", own)), encoding="utf-8")
    return ["run", "--config", file, "--adapter", "caddyfile"]


@contextlib.contextmanager
def proxied(program, folder, service, certificate):
    """Start a proxy, and give a client that reaches the service through it alone."""
    found = shutil.which(program, path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin")
    if found is None:
        pytest.skip(f"{program} is not installed")
    port = free_port()
    options = configured(program, folder, service, port, certificate)
    environment = {**os.environ, **dict.fromkeys(("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"), str(folder))}
    log = folder / "log.txt"
    with log.open("wb") as stream:
        process = subprocess.Popen([found, *map(str, options)], env=environment, stderr=stream)
    trusted = ssl.create_default_context(cafile=str(certificate[0]))
    try:
        while True:
            assert process.poll() is None, log.read_text(encoding="utf-8")
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                break
        with httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=trusted, timeout=600) as client:
            client.headers["host"] = HOST
            client.headers["authorization"] = "Bearer secret"
            yield client
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize("program", ["nginx", "caddy"])
def test_the_service_is_reached_through_the_proxy_of_the_page(program, tmp_path, certificate):
    units = [{"annotator": name, "start": 10 * k, "end": 10 * k + 4} for name in ("ann", "bob") for k in range(30_000)]
    named = {"extensions": {"sni_hostname": HOST}}
    with served(*OPTIONS) as service, proxied(program, tmp_path, str(service.base_url), certificate) as client:
        formats = client.get(f"/agreement{API}/formats", **named)
        assert formats.status_code == 200
        assert client.get(f"/agreement{API}/formats", headers={"authorization": ""}, **named).status_code == 401
        small = client.post(f"/agreement{API}/measure?wait=20", json={"units": units[:5] + units[-5:]}, **named)
        assert small.status_code == 200, small.text
        assert small.headers["location"].startswith(f"/agreement{API}/jobs/")
        # A body of more than a megabyte, and events that end with the job.
        body = {"units": units, "settings": {"document": ["document"]}}
        begun = client.post(f"/agreement{API}/align?wait=0", json=body, **named)
        assert begun.status_code == 202, begun.text
        job = begun.headers["location"]
        assert "event: done" in client.get(f"{job}/events", **named).text
        assert client.get(f"{job}/result", **named).status_code == 200
        page = client.get("/agreement/", **named)
        assert page.status_code == 200
        assert client.get("/agreement/static/page.css", **named).headers["content-type"].startswith("text/css")
        if program == "caddy":
            assert client.get("/agreement", **named).headers["location"] == "/agreement/"
