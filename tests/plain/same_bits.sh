#!/bin/sh
# SPDX-License-Identifier: MIT
# same_bits.sh DEFAULT PLAIN SCENES: what two builds of bits.c print of the scenes in a folder must be equal.
set -eu
"$1" "$3"/*.yaml >same_bits_default.txt
"$2" "$3"/*.yaml >same_bits_plain.txt
diff same_bits_default.txt same_bits_plain.txt && echo "$(wc -l <same_bits_plain.txt) hashes are equal"
