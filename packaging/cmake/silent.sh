#!/bin/sh
# A compiler launcher (HALO_WERROR): repeats what the compiler says, and fails where it says anything. It stands before
# ccache, which keeps warnings with the object: builds with and without it share one cache, which -Werror would divide.

# A precompiled header that is made anew must not find its old self: ccache would keep it under a key of the old one,
# which no clean build asks for, and so all that includes it.
for word; do
  case $word in *cmake_pch.hxx.gch) rm -f "$word" ;; esac
done

words=$("$@" 2>&1)
status=$?
[ -z "$words" ] || printf '%s\n' "$words" >&2
if [ -n "$words" ] && [ "$status" -eq 0 ]; then status=1; fi
exit "$status"
