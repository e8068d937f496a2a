# What run.sh and test.sh share; sourced with the root of the source tree as working directory.

fail() { printf 'haloscope: %s\n' "$*" >&2; exit 5; }

# Installs the packages of packaging/dependencies that are missing; touches nothing when none is.
install_missing() {
  local wanted missing=() package as_root=()
  wanted=$(awk '!/^#/ && NF == 2 { print $2 }' packaging/dependencies)
  for package in $wanted; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing and need root to install: ${missing[*]}"
    as_root=(sudo)
  fi
  echo "installing: ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update || fail "apt-get update failed: its words are above"
  "${apt[@]}" install --no-install-recommends "${missing[@]}" || fail "apt-get install failed: its words are above"
}

# build PRESET [TARGET…]: configures when needed, then builds with as many jobs as cores and memory allow.
build() {
  local preset=$1 jobs memory
  shift
  jobs=$(nproc)
  memory=$(awk '/^MemTotal:/ { print int($2 / 1048576) }' /proc/meminfo)  # GiB; one a job
  if [ "$memory" -ge 1 ] && [ "$memory" -lt "$jobs" ]; then jobs=$memory; fi
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" || fail "configuring $preset failed"
  cmake --build "build/$preset" -j "$jobs" ${1:+--target "$@"} || fail "building $preset failed"
}

# Open MPI refuses root unless told, keeps its shared memory in /dev/shm, and a container may have next to none of that.
prepare_mpi() {
  local free
  if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  free=$(df -k --output=avail /dev/shm 2>/dev/null | tail -1)
  if [ "${free:-0}" -lt 131072 ]; then
    export OMPI_MCA_btl_vader_backing_directory=${TMPDIR:-/tmp}
  fi
}
