#!/bin/sh
# The browser tests need Chromium as /usr/bin/chromium, the screenshots a font with Chinese. Both come
# from Debian's packages, when they are missing and this user may install them.
set -eu

need=
[ -x /usr/bin/chromium ] || need=chromium
fc-list :lang=zh 2>/dev/null | grep -q . || need="$need fonts-noto-cjk"
[ -n "$need" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    as_root='sudo -n'
    sudo -n true 2>/dev/null || as_root=missing
fi
if [ "$as_root" = missing ] || ! command -v apt-get >/dev/null; then
    echo "The browser tests need:$(printf ' %s' $need). On Debian: sudo apt install $need" >&2
    [ -x /usr/bin/chromium ] && exit 0
    exit 1
fi
echo "Installing for the browser tests:$(printf ' %s' $need) …"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get -qq update >/dev/null 2>&1 || true
# shellcheck disable=SC2086 -- names of packages
$as_root apt-get -qq install --no-install-recommends $need >/dev/null 2>&1 || {
    echo "apt-get could not install:$(printf ' %s' $need)" >&2
    exit 1
}
