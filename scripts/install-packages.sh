#!/usr/bin/env bash
# Installs, on Debian or Ubuntu, the system libraries that Loomwright loads when it runs. What is there already is
# left alone: then nothing is downloaded and no rights are needed.
#
#   scripts/install-packages.sh            what the window needs
#   scripts/install-packages.sh --checks   also what the check of the window under a virtual display needs
set -euo pipefail

# The window on X11 (OpenGL, input), and EGL for Wayland. Nothing links to these: they are loaded by name.
packages=(
  gcc libc6-dev # the only things a build needs beside Rust
  libgl1 libglx-mesa0 libgl1-mesa-dri libegl1
  libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon0 libxkbcommon-x11-0
)
case "${1:-}" in
  "") ;;
  --checks) packages+=(python3-numpy python3-scipy xz-utils xvfb xauth xdotool imagemagick x11-utils) ;;
  *)
    echo "usage: $0 [--checks]" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This script knows Debian and Ubuntu only. Install what corresponds to: ${packages[*]}" >&2
  exit 2
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "All packages are installed."
  exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "Run this as root; missing are: ${missing[*]}" >&2
    exit 2
  fi
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null
