#!/usr/bin/env bash
# Creates the Python environments that the tests use, in compat/python/environments: one of each version of Chainlit, one
# for all versions of literalai, which lie beside it, and two for current and previous versions of instrumentations. An
# up-to-date one stays.
set -euo pipefail
cd "$(dirname "$0")"
readonly LITERALAI_VERSIONS='0.0.500 0.0.607 0.0.625 0.1.0 0.1.201 0.1.300'

python3 -c 'import ensurepip, venv' 2>/dev/null || {
  as_root=; [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
}

for requirements in requirements/*.txt; do
  name=$(basename "$requirements" .txt)
  environment=environments/$name
  cmp -s "$requirements" "$environment/requirements.txt" && continue
  rm -rf "$environment"
  python3 -m venv "$environment"
  # Everything is pinned, so there is nothing to resolve.
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile -r "$requirements"
  cp "$requirements" "$environment/requirements.txt"
done
for version in $LITERALAI_VERSIONS; do
  target=environments/literalai-$version
  [ -d "$target/literalai" ] && continue
  rm -rf "$target"
  environments/literalai/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile \
    --target "$target" "literalai==$version"
done
