#!/bin/sh
# The tests of the receipt, as TAP (https://testanything.org): sh test.sh
cd "$(dirname "$0")" || exit 2
. ./src/money.sh
. ./src/cart.sh
for part in src/lines.sh src/sum.sh src/receipt.sh; do
	[ -f "$part" ] && . "./$part"
done

number=0
failed=0

# check NAME WANTED FOUND
check() {
	number=$((number + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $number - $1"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $number - $1"
	echo "  ---"
	echo "  message: 'wanted $2, found $3'"
	echo "  severity: fail"
	echo "  ..."
}

echo "TAP version 13"
echo "1..3"
check "a line has quantity, name and price" "2 Tea 3.00" "$(item_line 2 Tea 150 2>/dev/null)"
check "the sum is the last line" "Total 12.05" "$(sum_line 1205 2>/dev/null)"
check "the amounts of a receipt are aligned" "2 Tea          3.00" "$(receipt 2 Tea 150 2>/dev/null | head -n 1)"
[ "$failed" -eq 0 ]
