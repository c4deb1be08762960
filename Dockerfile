# docker build .                    the service with the embedded Korean models
# docker build --target neural .    … with sentence-transformers; --build-arg PIP_FIND_LINKS=<where torch's CPU build lies>

FROM python:3.11-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
RUN python -m venv /opt/venv
COPY pyproject.toml constraints.txt README.md ./
RUN /opt/venv/bin/pip install -c constraints.txt .

FROM build AS build-base
RUN /opt/venv/bin/pip uninstall --yes pip

FROM build AS build-neural
ARG PIP_FIND_LINKS
# the local version is named, so that no CUDA build can come in its place
RUN /opt/venv/bin/pip install -c constraints.txt "torch==2.13.0+cpu" ".[neural]" \
    && /opt/venv/bin/pip uninstall --yes pip

FROM python:3.11-slim AS runtime
RUN pip uninstall --yes pip setuptools wheel \
    && useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin bizi \
    && install --directory --owner=bizi /data
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 HOST=0.0.0.0 PORT=8001 DATA_DIR=/data
WORKDIR /app
COPY main.py services.py ./
COPY agents agents
COPY chains chains
COPY data data
COPY evaluation evaluation
COPY routes routes
COPY schemas schemas
COPY utils utils
COPY vectorstores vectorstores
RUN python -m compileall -q .
USER bizi
VOLUME /data
EXPOSE 8001
# the first start builds the index, so it gets time
HEALTHCHECK --interval=15s --timeout=3s --start-period=180s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/health/live', timeout=2)"]
CMD ["sh", "-c", "python -m vectorstores ingest && exec python main.py"]

FROM runtime AS neural
COPY --from=build-neural /opt/venv /opt/venv

FROM runtime AS base
COPY --from=build-base /opt/venv /opt/venv
