#!/bin/sh
# Wine from the folder where its packages are unpacked, in a prefix next to it.
cross=$(cd "$(dirname "$0")/.." && pwd)
libraries=$cross/wine/usr/lib
export LD_LIBRARY_PATH="$libraries/x86_64-linux-gnu" WINEDLLPATH="$libraries/x86_64-linux-gnu/wine"
export WINELOADER="$libraries/wine/wine64" WINESERVER="$libraries/wine/wineserver64"
# Programs for .NET and pages are not asked for; what Wine itself complains about is not ours.
export WINEPREFIX="$cross/prefix" WINEARCH=win64 WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= DISPLAY=
exec "$WINELOADER" "$@"
