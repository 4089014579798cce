# The whole service in one image: docker build -t backplay . && docker run -p 8000:8000 backplay
#
# It runs as a user without rights, writes nothing (add --read-only if you like), and asks nobody on the network.

ARG NODE=node:22-slim
ARG PYTHON=python:3.13-slim

FROM ${NODE} AS front
WORKDIR /build/static
COPY static/package.json static/package-lock.json static/.npmrc ./
RUN npm ci
COPY static ./
RUN npm run build

FROM ${PYTHON} AS packages
COPY requirements/run.txt /requirements.txt
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --require-hashes -r /requirements.txt \
    && /venv/bin/pip uninstall --yes pip

FROM ${PYTHON}
WORKDIR /srv/backplay
COPY --from=packages /venv /venv
COPY engine engine
COPY app app
COPY templates templates
COPY --from=front /build/static/built static/built
# Compiled now, because nothing can be written later; and readable for all, whatever the umask of who cloned it.
RUN chmod -R a+rX . && /venv/bin/python -m compileall -q engine app
ENV BACKPLAY_HOST=0.0.0.0 BACKPLAY_PUBLIC=true PYTHONDONTWRITEBYTECODE=1
# By number: a cluster can only see that it is not root if it need not look a name up.
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["/venv/bin/python", "-m", "app.probe"]
CMD ["/venv/bin/python", "-m", "app"]
