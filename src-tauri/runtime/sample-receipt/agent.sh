#!/bin/sh
# An agent without a model: it plays one atom of the loop, so that a loop can be watched without an account. Loopdeck names
# the action and the atom in the environment; the checklist decides whether the result is right.
#
#   LOOPDECK_ACTION     atom or judge
#   LOOPDECK_TASK_ID    the atom
#   TINY_SHOP_PAUSE     seconds between two lines; 1 unless set
cd "$(dirname "$0")" || exit 2
pause=${TINY_SHOP_PAUSE:-1}

say() {
	printf '%s\n' "$*"
	sleep "$pause"
}

answer() {
	printf '\n```json\n%s\n```\n' "$1"
}

# resolved SUMMARY FILE
resolved() {
	answer "{\"status\": \"resolved\", \"summary\": \"$1\", \"artifacts\": [\"$2\"], \"children\": [], \"reason\": null, \"needs\": null}"
}

failed() {
	answer "{\"status\": \"failed\", \"summary\": \"$1\", \"artifacts\": [], \"children\": [], \"reason\": \"$1\", \"needs\": null}"
}

item_line() {
	say "reading src/money.sh"
	cat >src/lines.sh <<-'FILE'
		# item_line QUANTITY NAME PRICE: one line of a receipt
		item_line() {
		    echo "$1 $2 $(money $(($1 * $3)))"
		}
	FILE
	say "wrote src/lines.sh"
	say "2 Tea at 150 cents: 2 Tea 3.00"
	resolved "item_line prints quantity, name and price." src/lines.sh
}

sum_line() {
	say "reading src/cart.sh"
	say "reading src/money.sh"
	cat >src/sum.sh <<-'FILE'
		# sum_line CENTS: the last line of a receipt
		sum_line() {
		    echo "Total $(money "$1")"
		}
	FILE
	say "wrote src/sum.sh"
	say "1205 cents: Total 12.05"
	resolved "sum_line prints the total." src/sum.sh
}

with_tabs() {
	say "trying tabs between name and amount"
	say "a name of eight letters moves its amount by eight columns"
	say "the amounts are not aligned: this approach does not work"
	failed "Tabs align amounts only while names are shorter than eight letters"
}

with_printf() {
	say "trying printf with a fixed width"
	cat >src/receipt.sh <<-'FILE'
		# receipt [QUANTITY NAME PRICE]...: a receipt with aligned amounts
		receipt() {
		    cents=0
		    while [ $# -ge 3 ]; do
		        printf '%-10s%9s\n' "$1 $2" "$(money $(($1 * $3)))"
		        cents=$((cents + $1 * $3))
		        shift 3
		    done
		    printf '%-10s%9s\n' Total "$(money "$cents")"
		}
	FILE
	say "wrote src/receipt.sh"
	say "the amounts are aligned"
	resolved "receipt aligns the amounts with printf." src/receipt.sh
}

example() {
	mkdir -p docs
	say "printing a receipt with tea and bread"
	{
		echo "# A receipt"
		echo
		. ./src/money.sh
		. ./src/receipt.sh
		receipt 2 Tea 150 1 Bread 320 | sed 's/^/    /'
	} >docs/receipt.md
	say "wrote docs/receipt.md"
	resolved "docs/receipt.md shows a receipt with two items." docs/receipt.md
}

judge() {
	say "reading src/lines.sh, src/sum.sh and src/receipt.sh"
	say "each function does one thing and has a comment"
	answer '{"scores": [
  {"criterion": "Readable", "score": 4.5, "evidence": "src/receipt.sh: one short function with a comment"},
  {"criterion": "Small", "score": 4, "evidence": "src/lines.sh and src/sum.sh: one line each"}
]}'
}

case ${LOOPDECK_ACTION:-} in
atom)
	case ${LOOPDECK_TASK_ID:-} in
	A1) item_line ;;
	A2) sum_line ;;
	A3_tabs) with_tabs ;;
	A3_printf) with_printf ;;
	A4) example ;;
	*) failed "This agent only knows the atoms of the sample" ;;
	esac
	;;
judge) judge ;;
*)
	echo "agent.sh: LOOPDECK_ACTION is atom or judge, not '${LOOPDECK_ACTION:-}'" >&2
	exit 2
	;;
esac
