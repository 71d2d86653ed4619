#!/usr/bin/env bash
# Runs a command beside an OpenStack Swift of one node, by its S3 API, as a real S3-compatible store: Debian's packages
# swift-proxy, swift-account, swift-container and swift-object, in a temporary folder. Needs to be root. The command finds
# the bucket in STEPWELL_TEST_BUCKET and the credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
#
#   npm run build && scripts/swift.sh npx vitest run server/test/bucket.test.ts
set -euo pipefail
command -v swift-proxy-server >/dev/null || {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    swift-proxy swift-account swift-container swift-object >/dev/null
}
work=$(mktemp -d)
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$work/srv/disk" "$work/run" /var/cache/swift
proxy=6500

mkdir -p "$work/etc"
cat > "$work/etc/swift.conf" <<CONF
[swift-hash]
swift_hash_path_suffix = stepwell
CONF
port=6510
for server in account container object; do
  cat > "$work/etc/$server-server.conf" <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $port
workers = 0
user = root
swift_dir = $work/etc
devices = $work/srv
mount_check = false
log_level = ERROR
[pipeline:main]
pipeline = $server-server
[app:$server-server]
use = egg:swift#$server
CONF
  (cd "$work/etc" && {
    swift-ring-builder "$server.builder" create 4 1 0
    swift-ring-builder "$server.builder" add "r1z1-127.0.0.1:$port/disk" 1
    swift-ring-builder "$server.builder" rebalance
  }) >/dev/null
  port=$((port + 1))
done
cat > "$work/etc/proxy-server.conf" <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $proxy
workers = 0
user = root
swift_dir = $work/etc
log_level = ERROR
[pipeline:main]
pipeline = catch_errors cache s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:6520
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_stepwell_tester = testing .admin
CONF
for server in object container account proxy; do
  "swift-$server-server" "$work/etc/$server-server.conf" -v >"$work/run/$server.log" 2>&1 &
  servers+=($!)
done
export AWS_ACCESS_KEY_ID=stepwell:tester AWS_SECRET_ACCESS_KEY=testing
bucket_url=$(node scripts/run.js scripts/bucket-url.ts "http://127.0.0.1:$proxy/stepwell-test")
for _ in $(seq 100); do
  if curl -s -o "$work/run/answer" --fail -X PUT "$bucket_url"; then
    export STEPWELL_TEST_BUCKET="s3://stepwell-test/some/prefix?endpoint=http://127.0.0.1:$proxy&upload=put"
    status=0
    "$@" || status=$?
    exit "$status"
  fi
  sleep 0.2
done
echo 'swift did not start' >&2
tail -n 20 "$work"/run/* >&2
exit 1
