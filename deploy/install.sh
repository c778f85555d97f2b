#!/usr/bin/env bash
# Installs the system packages that are missing on Debian or Ubuntu. Asks nothing, starts no service, creates no
# database cluster, and puts back what it changed for that. Does nothing when nothing is missing.
#   install.sh                everything that development and tests need
#   install.sh python | ocr   what an image needs: Python alone, or also what reads receipts
#   install.sh matrix         what `make test-matrix` needs besides
#   install.sh bench          what `make bench` compares us with
#   install.sh venv ROLE DIR  a virtual environment with this project and exactly what one role may use, from its lock
set -euo pipefail
part=${1:-machine}

if [ "$part" = venv ]; then
  role=$2 target=$3
  python3 -m venv "$target" "$target.build"
  # The build tool is locked and hashed like everything else; it stays out of the environment that is shipped.
  awk '/^setuptools==/ {on = 1; print; next} /^[a-z]/ {on = 0} on && !/#/' requirements/dev.txt >"$target.build/lock.txt"
  "$target.build/bin/pip" install -q --no-cache-dir --no-deps --require-hashes -r "$target.build/lock.txt"
  "$target.build/bin/pip" wheel -q --no-cache-dir --no-deps --no-build-isolation -w "$target.build" .
  "$target/bin/pip" install -q --no-cache-dir --no-deps --require-hashes -r "requirements/$role.txt"
  "$target/bin/pip" install -q --no-cache-dir --no-deps "$target.build"/*.whl
  "$target/bin/pip" uninstall -q -y pip setuptools
  rm -rf "$target.build"
  exit
fi

missing=()
need() { # need PACKAGE COMMAND: the package is missing when the command fails
  bash -c "$2" >/dev/null 2>&1 || missing+=("$1")
}
fonts=/usr/share/fonts/truetype
need python3-venv 'python3 -c "import ensurepip, venv"'
if [ "$part" != python ]; then
  need tesseract-ocr 'command -v tesseract'
  for language in eng osd rus deu fra spa; do
    need "tesseract-ocr-$language" "tesseract --list-langs | grep -qx $language"
  done
  need poppler-utils 'command -v pdftoppm'
fi
if [ "$part" = machine ]; then
  need rabbitmq-server 'ls /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server'
  need nats-server 'command -v nats-server' # the 2.9 of Debian, tested beside the wheel's 2.15
  need postgresql 'ls /usr/lib/postgresql/*/bin/initdb'
  need chromium 'command -v chromium' # the pages are tested in it
  need libatomic1 'ls /usr/lib/*/libatomic.so.1' # the driver of that browser is linked to it
  need hledger 'command -v hledger' # it reads what `ledger accounting export` writes
  need strace 'command -v strace' # it lets the kernel answer with EIO and ESTALE
  need prometheus 'command -v promtool' # its promtool tests the alert rules
  need fonts-dejavu-core "test -e $fonts/dejavu/DejaVuSans.ttf"
  need fonts-liberation2 "ls $fonts/liberation*/LiberationSans-Regular.ttf"
  need fonts-paratype "test -e $fonts/paratype/PTM55F.ttf"
fi
if [ "$part" = matrix ]; then need debootstrap 'command -v debootstrap'; fi
if [ "$part" = bench ]; then need ocrmypdf 'command -v ocrmypdf'; fi
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "install.sh: this is not Debian or Ubuntu; install what these packages hold: ${missing[*]}" >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  if sudo -n true 2>/dev/null; then exec sudo -n bash "$0" "$@"; fi
  echo "install.sh: system packages are missing and sudo asks for a password. Run: sudo bash $0 $*" >&2
  exit 1
fi

policy=/usr/sbin/policy-rc.d
cluster=/etc/postgresql-common/createcluster.conf
kept=$(mktemp -d)
restore() {
  for file in "$policy" "$cluster"; do
    if [ -e "$kept/changed-${file##*/}" ]; then
      if [ -e "$kept/${file##*/}" ]; then cp -a "$kept/${file##*/}" "$file"; else rm -f "$file"; fi
    fi
  done
  rm -rf "$kept"
}
trap restore EXIT
change() { # change FILE: remember how it is now
  if [ -e "$1" ]; then cp -a "$1" "$kept/"; fi
  touch "$kept/changed-${1##*/}"
}
apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=600 "$@" >"$kept/log" 2>&1 </dev/null || {
    tail -n 30 "$kept/log" >&2
    echo "install.sh: apt-get $* failed" >&2
    exit 1
  }
}

echo "install.sh: installing ${missing[*]}" >&2
apt update
change "$policy"
printf '#!/bin/sh\nexit 101\n' >"$policy" # "action forbidden by policy", for every service
chmod 755 "$policy"
if [[ " ${missing[*]} " == *" postgresql "* ]]; then
  apt install --no-install-recommends postgresql-common # brings the file that says whether a cluster is created
  change "$cluster"
  printf 'create_main_cluster = false\n' >"$cluster"
fi
apt install --no-install-recommends "${missing[@]}"
