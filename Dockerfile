# docker build .                    the service with the embedded Korean models
# docker build --target neural .    … with sentence-transformers; --build-arg PIP_FIND_LINKS=<where torch's CPU build lies>
# docker build --build-arg EXTRAS="postgres redis" .    … with conversations in PostgreSQL or Redis 8 (SESSION_URL); mcp: with /mcp
# docker build --build-arg PYTHON_IMAGE=python:3.11.14-slim-bookworm@sha256:<digest> .    … on exactly that image
#   (docker buildx imagetools inspect python:3.11.14-slim-bookworm shows the digest)
ARG PYTHON_IMAGE=python:3.11.14-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
RUN python -m venv /opt/venv
COPY constraints.txt ./
COPY requirements requirements
RUN /opt/venv/bin/pip install --require-hashes -r requirements/build.txt \
    && /opt/venv/bin/pip install --require-hashes --no-build-isolation -r requirements/base.txt -r requirements/trace.txt

ARG EXTRAS=""
RUN for extra in $EXTRAS; do \
        /opt/venv/bin/pip install --require-hashes --no-build-isolation --no-deps -r "requirements/$extra.txt" || exit 1; \
    done

FROM build AS build-base
RUN /opt/venv/bin/pip uninstall --yes setuptools pip

FROM build AS build-neural
ARG PIP_FIND_LINKS
# the local version is named, so that no CUDA build can come in its place
RUN /opt/venv/bin/pip install --require-hashes --no-build-isolation --no-deps -r requirements/neural.txt \
    && /opt/venv/bin/pip install -c constraints.txt "torch==2.13.0+cpu" \
    && /opt/venv/bin/pip uninstall --yes pip

FROM ${PYTHON_IMAGE} AS runtime
RUN pip uninstall --yes pip setuptools wheel \
    && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin bizi \
    && install --directory --owner=bizi /data /data/logs
# Everything that is written, caches of libraries included, goes to /data or /tmp: the rest may be read-only.
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 HOME=/data \
    HOST=0.0.0.0 PORT=8001 DATA_DIR=/data LOG_DIR=/data/logs
WORKDIR /app
COPY main.py services.py health_probes.py pyproject.toml ./
COPY agents agents
COPY chains chains
COPY data data
COPY evaluation/__init__.py evaluation/ragas_evaluator.py evaluation/ragas_log.py evaluation/ragas_prompts.py evaluation/
COPY routes routes
COPY schemas schemas
COPY utils utils
COPY vectorstores vectorstores
RUN python -m compileall -q .
# by number: who orders that no container runs as root cannot look a name up
USER 10001
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
