#!/usr/bin/env bash
# Makes the Debian package, installs it in a folder of its own, and starts what is there: the command line and, where
# there is a virtual display, the window. Nothing of the system is changed.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
package=$(scripts/make-deb.sh "$folder" | tail -1)
echo "$(basename "$package"): $(du -k "$package" | cut -f1) kB"

# The package manager with a system of its own: nothing installed, no scripts of others.
root=$folder/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
dpkg --root="$root" --force-not-root --force-depends --force-bad-path --log="$folder/dpkg.log" -i "$package" \
  >"$folder/dpkg.txt" 2>&1 || {
  cat "$folder/dpkg.txt" >&2
  exit 1
}
program=$root/usr/bin/loomwright
for file in applications/loomwright.desktop mime/packages/loomwright.xml man/man1/loomwright.1.gz \
  icons/hicolor/scalable/apps/loomwright.svg doc/loomwright/cli.md doc/loomwright/copyright; do
  [[ -s $root/usr/share/$file ]] || {
    echo "the package lacks $file" >&2
    exit 1
  }
done
[[ -z $(nm "$program" 2>/dev/null) ]] || {
  echo "the program is not stripped" >&2
  exit 1
}
if command -v desktop-file-validate >/dev/null; then
  desktop-file-validate "$root/usr/share/applications/loomwright.desktop"
fi

"$program" demo drag -o "$folder/demo" >/dev/null
"$program" solve "$folder/demo/drag.scene.json" >/dev/null
echo "the command line works"

if ! command -v Xvfb >/dev/null || ! command -v xdotool >/dev/null; then
  echo "(no Xvfb or no xdotool: the window was not started)"
  exit 0
fi
installed=$program
# shellcheck source=scripts/window-lib.sh
. scripts/window-lib.sh
program=$installed
trap 'stop_all; rm -rf "$folder"' EXIT
start_display
start_window open "$folder/demo/drag.scene.json"
echo "the window opens"
