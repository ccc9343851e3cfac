#!/bin/sh
# A C compiler for macOS. What cargo's build scripts say is meant for Apple's; zig wants its own target, and brings the headers of
# the C library. Those of Objective-C are in Apple's SDK, which is not here: such a file becomes an empty object, enough for a check.
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
    --target=* | -mmacosx-version-min=* | -fobjc-arc | -fmodules) ;;
    -arch)
      shift
      left=$((left - 1))
      ;;
    *.m) set -- "$@" -x c /dev/null ;;
    *) set -- "$@" "$word" ;;
  esac
done
cross=$(dirname "$0")/..
export ZIG_GLOBAL_CACHE_DIR="$cross/zig-cache" ZIG_LOCAL_CACHE_DIR="$cross/zig-cache"
exec "$cross/zig/ziglang/zig" cc -target aarch64-macos "$@"
