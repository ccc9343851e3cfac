#!/bin/sh
# An agent without a model: it plays one action of a loop on the tiny shop next to it, so that a loop can be watched without
# an account. Loopdeck names the action and the task in the environment; what is right is decided by `sh test.sh`, not here.
#
#   LOOPDECK_ACTION     init, develop or debug
#   LOOPDECK_TASK_ID    the task of develop
#   LOOPDECK_ITERATION  the round, for the text only
#   TINY_SHOP_PAUSE     seconds between two lines; 1 unless set
cd "$(dirname "$0")" || exit 2
pause=${TINY_SHOP_PAUSE:-1}

say() {
	printf '%s\n' "$*"
	sleep "$pause"
}

# change FILE OLD NEW: replaces the line OLD with the line NEW; 1 when there is no OLD
change() {
	grep -qxF -- "$2" "$1" || return 1
	OLD=$2 NEW=$3 awk '$0 == ENVIRON["OLD"] { print ENVIRON["NEW"]; next } { print }' "$1" >"$1.new" && mv "$1.new" "$1"
	say "changed $1"
	say "- $2"
	say "+ $3"
}

show_failures() {
	say "running sh test.sh"
	sh test.sh | grep '^not ok' || echo "all tests pass"
	sleep "$pause"
}

answer() {
	printf '\n```json\n%s\n```\n' "$1"
}

# developed TASK SUMMARY FILE
developed() {
	answer "{\"task_id\": \"$1\", \"status\": \"completed\", \"summary\": \"$2\", \"files_changed\": [\"$3\"], \"needs\": null}"
}

plan() {
	say "looking around: $(ls src test.sh | tr '\n' ' ')"
	show_failures
	say "two functions are wrong: one task for each"
	answer '{"tasks": [
  {"id": "task-001", "description": "money writes two digits of cents: 1205 is 12.05", "priority": 1, "files": ["src/money.sh"]},
  {"id": "task-002", "description": "discounted rounds half a cent up: 995 less 10 % is 896", "priority": 2, "files": ["src/cart.sh"]}
], "needs": null}'
}

develop() {
	say "round ${LOOPDECK_ITERATION:-?}: ${LOOPDECK_TASK_ID:-no task}"
	case ${LOOPDECK_TASK_ID:-} in
	task-002)
		say "reading src/cart.sh"
		# Nearly right, as first tries are: the half is missing two zeros. The tests will say so.
		change src/cart.sh '	echo $(($1 * (100 - $2) / 100))' '	echo $((($1 * (100 - $2) + 5) / 100))' || say "src/cart.sh is changed already"
		developed task-002 "The discount adds a half before it divides." src/cart.sh
		;;
	*)
		say "reading src/money.sh"
		change src/money.sh '	echo "$(($1 / 100)).$(($1 % 100))"' '	printf "%d.%02d\n" "$(($1 / 100))" "$(($1 % 100))"' || say "src/money.sh is changed already"
		developed "${LOOPDECK_TASK_ID:-task-001}" "Cents are printed with two digits." src/money.sh
		;;
	esac
}

debug() {
	say "round ${LOOPDECK_ITERATION:-?}: what makes the tests fail?"
	show_failures
	say "H1: the half that is added is too small by the factor that is divided by"
	say "995 * 90 is 89550; with 5 it is 89555, with 50 it is 89600: H1 is confirmed"
	fixed=true
	change src/cart.sh '	echo $((($1 * (100 - $2) + 5) / 100))' '	echo $((($1 * (100 - $2) + 50) / 100))' || fixed=false
	show_failures
	answer "{\"hypotheses\": [
  {\"id\": \"H1\", \"description\": \"The half that discounted adds is too small\", \"testable_condition\": \"995 less 10 % is 895 instead of 896\",
   \"logging_point\": \"src/cart.sh:discounted:15\", \"confirm\": \"89555 / 100 is cut to 895\", \"reject\": \"895 comes from somewhere else\",
   \"likelihood\": 1, \"status\": \"confirmed\", \"evidence\": \"(995 * 90 + 5) / 100 = 895\", \"verdict_reason\": \"Half of the divisor 100 is 50, not 5\"},
  {\"id\": \"H2\", \"description\": \"The test expects the wrong amount\", \"testable_condition\": \"895.5 is not a half\",
   \"logging_point\": \"test.sh:check:32\", \"confirm\": \"the exact amount is below 895.5\", \"reject\": \"the exact amount is 895.5\",
   \"likelihood\": 2, \"status\": \"rejected\", \"evidence\": \"995 * 0.9 = 895.5\", \"verdict_reason\": \"Half a cent is rounded up, so 896 is right\"}
], \"understanding\": \"Before a division by 100 the half is 50.\", \"confirmed\": \"H1\", \"fixed\": $fixed, \"files_changed\": [\"src/cart.sh\"], \"needs\": null}"
}

case ${LOOPDECK_ACTION:-} in
init) plan ;;
develop) develop ;;
debug) debug ;;
*)
	echo "agent.sh: LOOPDECK_ACTION is init, develop or debug, not '${LOOPDECK_ACTION:-}'" >&2
	exit 2
	;;
esac
