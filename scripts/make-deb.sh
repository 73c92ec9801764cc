#!/usr/bin/env bash
# Makes a Debian package of the release build: program (stripped), desktop entry, icon, MIME type, man page, documents.
#
#   scripts/make-deb.sh [FOLDER]    the package goes to FOLDER, target/debian unless told; its path is printed last
#
# Needs dpkg-deb, strip and gzip, which every Debian has, and builds the program first where that is not done yet.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
folder=${1:-$target/debian}
mkdir -p "$folder"

[[ -n ${LOOMWRIGHT_BUILT:-} ]] || cargo build --release --quiet
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
architecture=$(dpkg --print-architecture)

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
put() { install -D -m 644 "$1" "$root/$2"; }

install -d "$root/usr/bin"
strip -o "$root/usr/bin/loomwright" "$target/release/loomwright"
chmod 755 "$root/usr/bin/loomwright"
put packaging/loomwright.desktop usr/share/applications/loomwright.desktop
put packaging/loomwright.svg usr/share/icons/hicolor/scalable/apps/loomwright.svg
put packaging/loomwright.xml usr/share/mime/packages/loomwright.xml
put assets/materials.toml usr/share/doc/loomwright/materials.toml
install -d "$root/usr/share/man/man1"
gzip -9n <packaging/loomwright.1 >"$root/usr/share/man/man1/loomwright.1.gz"
gzip -9n <CHANGELOG.md >"$root/usr/share/doc/loomwright/changelog.gz"
for page in docs/*.md docs/guide/*.md docs/theory/*.md; do
  put "$page" "usr/share/doc/loomwright/${page#docs/}"
done
{
  echo "Loomwright is licensed under either of MIT or Apache 2.0, at your choice."
  echo
  cat LICENSE-MIT
  echo
  echo "The text of Apache 2.0 is in /usr/share/common-licenses/Apache-2.0."
} >"$root/usr/share/doc/loomwright/copyright"

install -d "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: loomwright
Version: $version
Architecture: $architecture
Maintainer: The Loomwright authors <loomwright@localhost>
Section: science
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6, libgcc-s1
Recommends: libgl1, libegl1, libx11-6, libx11-xcb1, libxcursor1, libxi6, libxkbcommon0, libxkbcommon-x11-0
Description: Route cables, hoses and wiring harnesses in real time
 Drag a fixing, and the cable follows as the elastic thing it is, keeps its
 length, lies on what it touches, and never passes through a part.
 Imports STEP and meshes, exports routes for CAD, and does the same work
 without a window.
CONTROL
package=$folder/loomwright_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package"
