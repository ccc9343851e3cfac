#!/bin/sh
# The tests of the tiny shop, as TAP (https://testanything.org): sh test.sh
cd "$(dirname "$0")" || exit 2
. ./src/money.sh
. ./src/cart.sh

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
echo "1..6"
check "money writes whole amounts and tens" 12.50 "$(money 1250)"
check "money writes two digits of cents" 12.05 "$(money 1205)"
check "the total of an empty cart is nothing" 0 "$(total)"
check "the total multiplies and adds" 597 "$(total 2 150 3 99)"
check "a discount is taken off" 900 "$(discounted 1000 10)"
check "half a cent is rounded up" 896 "$(discounted 995 10)"
[ "$failed" -eq 0 ]
